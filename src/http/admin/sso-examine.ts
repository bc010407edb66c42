import type { Router } from '@koa/router';
import { aboutProvider } from '#src/http/admin/about-provider.ts';
import { type Examined, examinePage } from '#src/http/admin/sso-examine-page.ts';
import { formRefusal } from '#src/http/form-refusal.ts';
import type { Problem } from '#src/http/web/layout.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError } from '#src/kernel/errors.ts';
import { examineResponse, requireSaml } from '#src/sso/checks/examine-response.ts';
import { foreseeLogin } from '#src/sso/login/foresee-login.ts';
import { findEntry } from '#src/sso/providers/find-entry.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';

const EXAMINE = '/admin/sso_providers/:name/examine';

/** Why a response is refused, without anybody signing in. */
export function examineRoutes(router: Router<WebState>, web: Web): void {
  router.get(
    EXAMINE,
    aboutProvider(web, (ctx, { name }) => show(web, ctx, name)),
  );
  router.post(
    EXAMINE,
    aboutProvider(web, (ctx, { name }) => examine(web, ctx, name)),
  );
}

async function show(web: Web, ctx: WebContext, reference: string): Promise<void> {
  const { name } = await findSaml(web, reference);
  web.page(ctx, examinePage({ name, token: web.token(ctx), at: undefined }));
}

async function examine(web: Web, ctx: WebContext, reference: string): Promise<void> {
  const form = await web.form(ctx);
  const provider = await findSaml(web, reference);
  const { name } = provider;
  const text = form.get('response') ?? '';
  const at = form.get('at')?.trim() ?? '';
  const answer = (problems: Problem[] | undefined, status: number, examined?: Examined) =>
    web.page(ctx, examinePage({ name, token: web.token(ctx), at, problems, examined }), status);

  const problems: Problem[] = [
    ...(text.trim() === '' ? [{ field: 'response', message: 'Response: must not be empty' }] : []),
    ...(at !== '' && !MOMENT.test(at)
      ? [{ field: 'at', message: 'When it came: must be a time such as 2026-01-31T12:00:00Z' }]
      : []),
  ];
  if (problems.length > 0) return answer(problems, 422);
  try {
    const came = at === '' ? undefined : new Date(at);
    answer(undefined, 200, await judge(web, ctx, provider, { text, at: came }));
  } catch (error) {
    const refusal = formRefusal(ctx, error, { validation_failed: '', service_unavailable: '' });
    answer(refusal.problems, refusal.status);
  }
}

const MOMENT = /^\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?Z$/;

async function judge(
  web: Web,
  ctx: WebContext,
  provider: SamlProvider,
  given: { text: string; at: Date | undefined },
): Promise<Examined> {
  const { http, sso } = web.runtime.config;
  const { access } = await web.federation.open();
  const { steps, identity } = await examineResponse(provider, { ...given, appUrl: http.appUrl }, access);
  if (!identity) return { steps, person: undefined };
  const rules = { mode: sso.jitMode, allowedDomains: sso.allowedDomains };
  const foreseen = await web.act(ctx, (work) => foreseeLogin(work, { provider, identity, rules }));
  return { steps, person: { identity, foreseen } };
}

async function findSaml(web: Web, reference: string): Promise<SamlProvider> {
  const { source } = await web.federation.open();
  const { provider, name, problem } = await findEntry(source, reference);
  if (provider) return requireSaml(provider);
  throw new AppError('conflict', `${name} cannot work: ${problem ?? 'its settings are wrong'}`);
}
