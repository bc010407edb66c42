import type { Context } from '#src/http/state.ts';
import type { Config } from '#src/kernel/config.ts';

/** The description of this API. Built when first asked for: zod would cost every start 50 ms. */
export function openApi({ http }: Config): (ctx: Context) => Promise<void> {
  let text: Promise<string> | undefined;
  return async (ctx) => {
    text ??= import('#src/http/openapi.ts').then(({ openApiDocument }) =>
      JSON.stringify(openApiDocument(http.appUrl)),
    );
    const body = await text;
    ctx.res.setHeader('Content-Type', 'application/json; charset=utf-8');
    ctx.body = body;
  };
}
