import type { Router } from '@koa/router';
import { changingProvider, changingProviders, loginPolicy } from '#src/http/admin/about-provider.ts';
import { readQuery } from '#src/http/admin/query.ts';
import { problemsOf, readProviderForm, valuesOf } from '#src/http/admin/sso-provider-form.ts';
import { newProviderPage, providerFormPage } from '#src/http/admin/sso-provider-form-page.ts';
import { noChangePage } from '#src/http/admin/sso-provider-pages.ts';
import type { Fields } from '#src/http/fields.ts';
import { formRefusal } from '#src/http/form-refusal.ts';
import type { Problem } from '#src/http/web/layout.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import { checkProvider } from '#src/sso/check-provider.ts';
import { createProvider } from '#src/sso/create-provider.ts';
import { findProvider } from '#src/sso/find-provider.ts';
import { parseProvider } from '#src/sso/parse-provider.ts';
import { PRESETS, presetFields } from '#src/sso/presets.ts';
import { type Provider, STRATEGIES } from '#src/sso/provider.ts';
import { fieldsOf, isSecretField } from '#src/sso/provider-fields.ts';
import { requireProvider } from '#src/sso/provider-problems.ts';
import { providerUrls } from '#src/sso/provider-urls.ts';
import { openProvider } from '#src/sso/seal-provider.ts';
import { previewUpdate, updateProvider } from '#src/sso/update-provider.ts';

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

interface Shown {
  strategy: Provider['strategy'];
  values: Fields;
  problems?: Problem[] | undefined;
}

function showNew(web: Web, ctx: WebContext, { strategy, values, problems }: Shown): void {
  const name = values.get('name') ?? '';
  const preset = values.get('preset') ?? '';
  const page = providerFormPage({
    strategy,
    values,
    problems,
    storedSecrets: [],
    urls: providerUrls({ id: name, name, isSaml: strategy === 'saml' }, web.runtime.config.http.appUrl),
    token: web.token(ctx),
    preset: Object.hasOwn(PRESETS, preset) ? PRESETS[preset] : undefined,
  });
  web.page(ctx, page, problems ? 422 : 200);
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
    const failures = problems.length > 0 ? [] : await verify(web, provider, values);
    if (failures.length > 0 || problems.length > 0) return refuse(failures);
    await web.act(ctx, (work) => createProvider(work, wanted));
  } catch (error) {
    return refuse(problemsOf(error, values, strategy));
  }
  web.redirect(ctx, `${LIST}/${values.get('name')}/edit`, 'provider_created');
}

/** The failing checks of an issuer that has not been asked yet (decisions, section 3, Discovery). */
async function verify(web: Web, provider: Provider, values: Fields): Promise<Problem[]> {
  if (provider.strategy !== 'openid_connect' || values.get('skip_verify') === 'true') return [];
  const { access } = await web.federation.open();
  const { checks } = await checkProvider(provider, access);
  return checks
    .filter(({ status }) => status === 'fail')
    .map(({ message }) => ({ field: 'issuer', message: `Issuer: ${message}` }));
}

interface Stored {
  provider: Provider;
  version: number;
}

async function findStored(work: Work, name: string): Promise<Stored> {
  const stored = await findProvider(work, name);
  return { provider: openProvider(work.cipher, stored), version: stored.version };
}

async function edit(web: Web, ctx: WebContext, name: string): Promise<void> {
  const { source } = await web.federation.open();
  const entry = await source.lookUpByName(name);
  if (entry?.problem !== undefined) {
    const message = `${name} cannot be opened: ${entry.problem}. Delete it and add it again, or put the keys back.`;
    return web.page(ctx, noChangePage({ title: `Identity provider ${name}`, problems: [{ message }] }), 409);
  }
  const stored = await web.act(ctx, (work) => findStored(work, name));
  const values = valuesOf(fieldsOf(stored.provider));
  showExisting(web, ctx, { stored, values, version: String(stored.version) });
}

interface ShownExisting {
  stored: Stored;
  values: Fields;
  /** Of what is edited, which may have changed since. */
  version: string;
  problems?: Problem[] | undefined;
  status?: number | undefined;
}

function showExisting(web: Web, ctx: WebContext, shown: ShownExisting): void {
  const { stored, values, version, problems, status } = shown;
  const { provider } = stored;
  const { id, name, strategy } = provider;
  const redirectUri = provider.strategy === 'saml' ? undefined : provider.redirectUri;
  const page = providerFormPage({
    strategy,
    values,
    problems,
    storedSecrets: Object.keys(fieldsOf(provider)).filter(isSecretField),
    urls: providerUrls(
      { id, name, isSaml: strategy === 'saml', redirectUri },
      web.runtime.config.http.appUrl,
    ),
    token: web.token(ctx),
    existing: { name, version },
  });
  web.page(ctx, page, status);
}

async function update(web: Web, ctx: WebContext, name: string): Promise<void> {
  const values = await web.form(ctx);
  const stored = await web.act(ctx, (work) => findStored(work, name));
  const { strategy } = stored.provider;
  const version = values.get('version') ?? '';
  const { fields, problems } = readProviderForm(values, strategy);
  const refuse = (found: Problem[], status = 422) =>
    showExisting(web, ctx, { stored, values, version, status, problems: [...problems, ...found] });

  const changes = { ...fields, name: values.get('name') ?? stored.provider.name };
  try {
    const preview = await web.act(ctx, (work) => previewUpdate(work, { provider: name, changes }));
    const asks = problems.length === 0 && preview.changed.includes('issuer');
    const failures = asks ? await verify(web, preview.provider, values) : [];
    if (failures.length > 0 || problems.length > 0) return refuse(failures);
    const change = { provider: name, changes, version: Number(version), policy: loginPolicy(web) };
    await web.act(ctx, (work) => updateProvider(work, change));
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') {
      const { status, problems: conflict } = formRefusal(ctx, error, { conflict: '' });
      return refuse(conflict, status);
    }
    return refuse(problemsOf(error, values, strategy));
  }
  web.redirect(ctx, `${LIST}/${changes.name}/edit`, 'provider_saved');
}
