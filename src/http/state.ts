import type Koa from 'koa';

/** What middleware leaves on `ctx.state`, in order. */
export interface State {
  requestId: string;
  /** What has been read of the request so far: all of it. */
  body?: Buffer;
  /** The pattern that the path matched, where no router has left it. */
  route?: string;
  /** Asked so often that only its failures are worth a line. */
  probe?: true;
}

export type Context = Koa.ParameterizedContext<State>;

/** Programs live here; whatever they accept, they get JSON. */
export function isMachinePath(path: string): boolean {
  return /^\/(api|oauth)(\/|$)/.test(path);
}

/** Whether this process still wants new work. */
export interface Lifecycle {
  draining: boolean;
}
