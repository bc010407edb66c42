import type Koa from 'koa';
import type { Context, State } from '#src/http/state.ts';
import { AppError } from '#src/kernel/errors.ts';

/** What the routers leave behind: which paths matched, whatever the method. */
interface Matched {
  matched?: { methods: string[] }[];
}

/** Last: nobody answers this path, or not for this method. */
export const unmatched: Koa.Middleware<State, Matched> = (ctx) => {
  const methods = new Set((ctx.matched ?? []).flatMap((route) => route.methods));
  if (methods.size === 0) throw new AppError('not_found', 'There is nothing at this path');
  answerOtherMethod(ctx, [...methods]);
};

/** OPTIONS hears what is possible here, without CORS; everything else is refused. */
export function answerOtherMethod(ctx: Context, methods: string[]): void {
  ctx.res.setHeader('Allow', [...methods, 'OPTIONS'].toSorted().join(', '));
  if (ctx.method !== 'OPTIONS') {
    throw new AppError('method_not_allowed', `${ctx.method} is not possible here`);
  }
  ctx.status = 204;
}
