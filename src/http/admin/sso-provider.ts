import type { Router } from '@koa/router';
import { changingProvider, changingProviders, loginPolicy } from '#src/http/admin/about-provider.ts';
import { readQuery } from '#src/http/admin/query.ts';
import { problemsOf, readProviderForm, valuesOf } from '#src/http/admin/sso-provider-form.ts';
import { newProviderPage } from '#src/http/admin/sso-provider-form-page.ts';
import { noChangePage } from '#src/http/admin/sso-provider-pages.ts';
import { findStored, showExisting, showNew } from '#src/http/admin/sso-provider-show.ts';
import { askProvider, UNASKED } from '#src/http/admin/sso-provider-verify.ts';
import { formRefusal } from '#src/http/form-refusal.ts';
import type { Problem } from '#src/http/web/layout.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError } from '#src/kernel/errors.ts';
import { createProvider } from '#src/sso/providers/create-provider.ts';
import { parseProvider } from '#src/sso/providers/parse-provider.ts';
import { presetFields } from '#src/sso/providers/presets.ts';
import { STRATEGIES } from '#src/sso/providers/provider.ts';
import { ASKED_FOR } from '#src/sso/providers/provider-fields.ts';
import { requireProvider } from '#src/sso/providers/provider-problems.ts';
import { previewUpdate, updateProvider } from '#src/sso/providers/update-provider.ts';

const LIST = '/admin/sso_providers';

/** Adding a provider in two steps, and changing its settings. */
export function providerRoutes(router: Router<WebState>, web: Web): void {
  router.get(`${LIST}/new`, web.forSuperAdmins(changingProviders(web, (ctx) => begin(web, ctx))));
  router.post(LIST, web.forSuperAdmins(changingProviders(web, (ctx) => create(web, ctx))));
  router.get(
    `${LIST}/:name/edit`,
    changingProvider(web, (ctx, { name }) => edit(web, ctx, name)),
  );
  router.post(
    `${LIST}/:name/edit`,
    changingProvider(web, (ctx, { name }) => update(web, ctx, name)),
  );
}

async function begin(web: Web, ctx: WebContext): Promise<void> {
  const { fields } = readQuery(ctx, ['preset', 'strategy', 'name']);
  if (fields.size === 0) return web.page(ctx, newProviderPage({ values: fields, problems: undefined }));

  const preset = presetFields(fields.get('preset') ?? '') ?? {};
  const start = { strategy: fields.get('strategy'), ...preset, name: fields.get('name') ?? preset.name };
  const problems = await findStartProblems(web, start);
  const strategy = STRATEGIES.find((each) => each === start.strategy);
  if (!strategy || problems.length > 0)
    return web.page(ctx, newProviderPage({ values: fields, problems }), 422);
  const values = new Map([...valuesOf({ ...preset, ...start }), ['preset', fields.get('preset') ?? '']]);
  showNew(web, ctx, { strategy, values });
}

/** What is wrong with protocol and name, before anything else is asked for. */
async function findStartProblems(web: Web, start: { strategy: unknown; name: unknown }): Promise<Problem[]> {
  const { problems = [] } = parseProvider(start);
  const found = problems
    .filter(({ field }) => field === 'strategy' || field === 'name')
    .map(({ field, message }) => ({
      field,
      message: `${field === 'name' ? 'Name' : 'Protocol'}: ${message}`,
    }));
  if (found.length > 0) return found;
  const { source } = await web.federation.open();
  const { name } = start;
  if (typeof name !== 'string' || !(await source.lookUpByName(name))) return [];
  return [{ field: 'name', message: `Name: there is already a provider ${name}` }];
}

async function create(web: Web, ctx: WebContext): Promise<void> {
  const values = await web.form(ctx);
  const strategy = STRATEGIES.find((each) => each === values.get('strategy'));
  if (!strategy) {
    const problems = [{ field: 'strategy', message: 'Protocol: choose one' }];
    return web.page(ctx, newProviderPage({ values, problems }), 422);
  }
  const { fields, problems } = readProviderForm(values, strategy);
  const wanted = { ...fields, strategy, name: values.get('name'), enabled: values.get('enabled') === 'true' };
  const refuse = (found: Problem[]) => {
    // A page that is shown again knows of the box only that it was not ticked.
    const kept = new Map([...values, ['enabled', String(wanted.enabled)]]);
    showNew(web, ctx, { strategy, values: kept, problems: [...problems, ...found] });
  };
  try {
    const provider = requireProvider(wanted);
    const answer = problems.length > 0 ? UNASKED : await askProvider(web, provider, values);
    if (answer.failures.length > 0 || problems.length > 0) return refuse(answer.failures);
    await web.act(ctx, async (work) => answer.keep(work, await createProvider(work, wanted)));
  } catch (error) {
    return refuse(problemsOf(error, values, strategy));
  }
  web.redirect(ctx, `${LIST}/${values.get('name')}/edit`, 'provider_created');
}

async function edit(web: Web, ctx: WebContext, name: string): Promise<void> {
  const { source } = await web.federation.open();
  const entry = await source.lookUpByName(name);
  const stored = await web.act(ctx, (work) => findStored(work, name));
  if (entry?.problem !== undefined && stored.lost.length === 0) {
    const message = `${name} cannot be opened: ${entry.problem}. Delete it and add it again.`;
    return web.page(ctx, noChangePage({ title: `Identity provider ${name}`, problems: [{ message }] }), 409);
  }
  const problems =
    entry?.problem === undefined ? undefined : [{ message: `${name} cannot work: ${entry.problem}` }];
  showExisting(web, ctx, {
    stored,
    values: valuesOf(stored.fields),
    version: String(stored.version),
    problems,
  });
}

async function update(web: Web, ctx: WebContext, name: string): Promise<void> {
  const values = await web.form(ctx);
  const stored = await web.act(ctx, (work) => findStored(work, name));
  const { strategy } = stored.sealed;
  const version = values.get('version') ?? '';
  const { fields, problems } = readProviderForm(values, strategy);
  const refuse = (found: Problem[], status = 422, mayInsist = false) =>
    showExisting(web, ctx, { stored, values, version, status, mayInsist, problems: [...problems, ...found] });

  const changes = { ...fields, name: values.get('name') ?? stored.sealed.name };
  try {
    const preview = await web.act(ctx, (work) => previewUpdate(work, { provider: name, changes }));
    const asks = problems.length === 0 && ASKED_FOR.some((field) => preview.changed.includes(field));
    const answer = asks ? await askProvider(web, preview.provider, values) : UNASKED;
    if (answer.failures.length > 0 || problems.length > 0) return refuse(answer.failures);
    const force = values.get('force_linked') === 'true';
    const change = { provider: name, changes, version: Number(version), policy: loginPolicy(web), force };
    await web.act(ctx, async (work) => answer.keep(work, (await updateProvider(work, change)).provider));
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') {
      const { status, problems: conflict } = formRefusal(ctx, error, { conflict: '' });
      return refuse(conflict, status);
    }
    if (error instanceof AppError && error.code === 'forbidden') {
      const { status, problems: shutOut } = formRefusal(ctx, error, { forbidden: 'force_linked' });
      return refuse(shutOut, status, error.details?.linked !== undefined);
    }
    return refuse(problemsOf(error, values, strategy));
  }
  web.redirect(ctx, `${LIST}/${changes.name}/edit`, 'provider_saved');
}
