import type Koa from 'koa';
import type { SignedIn } from '#src/auth/look-up-session.ts';
import type { State } from '#src/http/state.ts';

/** What the middleware of the web surface leaves on `ctx.state`. */
export interface WebState extends State {
  /** Nobody is signed in without it. */
  signedIn?: SignedIn;
  /** For the cookie of the session that this request has started. */
  newSessionToken?: string;
}

/** The part of koa-session's object that is used here. */
interface SessionHandle {
  regenerate(): Promise<void> | undefined;
}

export type WebContext = Koa.ParameterizedContext<WebState, { session?: SessionHandle | null }>;
