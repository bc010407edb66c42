import type Koa from 'koa';
import { createSession } from 'koa-session';
import { lookUpSession } from '#src/auth/look-up-session.ts';
import type { State } from '#src/http/state.ts';
import { cookieSettings } from '#src/http/web/cookies.ts';
import type { WebKeys } from '#src/http/web/keys.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import { tokenDigest } from '#src/kernel/token.ts';
import type { Runtime } from '#src/kernel/work.ts';

const HOUR_MS = 3_600_000;

/**
 * Who is signed in, by koa-session over the table `sessions`: the cookie holds an opaque token, and every request
 * reads session and user anew, so that suspension, deletion and a new role act on the next one in every process.
 * Rows are made by `startSession` alone; a slow request that ends after a sign-out can bring nothing back to life.
 */
export function sessions(koa: Koa<State>, runtime: Runtime, keys: WebKeys): Koa.Middleware<WebState> {
  koa.keys = keys.cookie;
  const { config, pool } = runtime;

  const middleware = createSession(
    {
      ...cookieSettings(config, 'session'),
      maxAge: config.session.lifetimeHours * HOUR_MS,
      overwrite: true,
      signed: true,
      rolling: false,
      renew: false,
      // An anonymous visit has no token, no row and no cookie.
      genid: (ctx: WebContext) => ctx.state.newSessionToken ?? '',
      store: {
        get: async (token: string, _: number, { ctx }: { ctx?: WebContext }) => {
          const signedIn = await lookUpSession(runtime, token);
          if (ctx && signedIn) ctx.state.signedIn = signedIn;
          return signedIn && { id: signedIn.sessionId };
        },
        set: async () => undefined,
        destroy: async (token: string) => {
          await pool.query('delete from sessions where digest = $1', [tokenDigest(token) ?? null]);
        },
      },
    },
    koa,
  );

  return async (ctx, next) => {
    // Known from APP_URL: behind a proxy that ends TLS the connection itself is never seen as secure.
    ctx.cookies.secure = config.http.appUrl.startsWith('https:');
    await middleware(ctx, next);
  };
}

/** Gives the browser the cookie of a session that has just been started; the one it had before is gone. */
export async function enterSession(ctx: WebContext, token: string): Promise<void> {
  ctx.state.newSessionToken = token;
  await ctx.session?.regenerate();
}

/** Takes the cookie away, and what is left of its session. */
export function leaveSession(ctx: WebContext): void {
  ctx.session = null;
  delete ctx.state.signedIn;
}
