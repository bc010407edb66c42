import { goOnPage } from '#src/http/sso/go-on-page.ts';
import { orRefuse } from '#src/http/sso/refuse-login.ts';
import { returnPath } from '#src/http/web/return-path.ts';
import type { WebContext } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Departure } from '#src/sso/connector.ts';
import { type LoginStart, startLogin } from '#src/sso/login/start-login.ts';

/** `POST /auth/<name>`: sends the browser to the provider, to sign in, or to connect the account it is in. */
export async function start(web: Web, ctx: WebContext, provider: string): Promise<void> {
  const fields = await web.form(ctx);
  const purpose = fields.get('purpose') === 'link' ? 'link' : 'login';
  const { signedIn } = ctx.state;
  if (purpose === 'link' && !signedIn) throw new AppError('unauthorized', 'Sign in first');

  const userId = purpose === 'link' ? signedIn?.userId : undefined;
  await sendToProvider(web, ctx, {
    provider,
    purpose,
    userId,
    returnTo: returnPath(fields.get('return_to')),
  });
}

/** Begins a sign-in and sends the browser where it goes on; a refusal is recorded and told. */
export async function sendToProvider(
  web: Web,
  ctx: WebContext,
  login: Omit<LoginStart, 'browser'>,
): Promise<void> {
  const federation = await web.federation.open();
  await orRefuse(web, ctx, { provider: login.provider }, async () => {
    const browser = web.forgery.ensureBrowser(ctx);
    sendTo(web, ctx, await startLogin(federation, { ...login, browser }));
  });
}

/** To another service. */
export function sendTo(web: Web, ctx: WebContext, { redirectTo, form }: Departure): void {
  if (form) {
    web.page(ctx, goOnPage(redirectTo, form));
    return;
  }
  ctx.status = 303;
  ctx.res.setHeader('Location', redirectTo.href);
  ctx.body = '';
}
