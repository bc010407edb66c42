import type { Router } from '@koa/router';
import { changingProvider, changingProviders, loginPolicy } from '#src/http/admin/about-provider.ts';
import { valuesOf } from '#src/http/admin/sso-provider-form.ts';
import { findStored, type Stored, showExisting, showNew } from '#src/http/admin/sso-provider-show.ts';
import { describeInUse } from '#src/http/admin/sso-saml-in-use.ts';
import { readGivenMetadata } from '#src/http/admin/sso-saml-metadata.ts';
import { samlPage } from '#src/http/admin/sso-saml-page.ts';
import type { Fields } from '#src/http/fields.ts';
import { formRefusal } from '#src/http/form-refusal.ts';
import type { Problem } from '#src/http/web/layout.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError, invalid } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import { generateProviderKey } from '#src/sso/providers/generate-provider-key.ts';
import { KEY_USES } from '#src/sso/providers/make-certificate.ts';
import { parseProvider } from '#src/sso/providers/parse-provider.ts';
import { presetFields } from '#src/sso/providers/presets.ts';
import { lookUpKnownMetadata } from '#src/sso/saml/metadata/known-metadata.ts';
import { METADATA_FIELDS } from '#src/sso/saml/metadata/saml-fields-from.ts';

const LIST = '/admin/sso_providers';

/** What only SAML needs: reading metadata, asking for it again, making keys. */
export function samlProviderRoutes(router: Router<WebState>, web: Web): void {
  router.post(`${LIST}/metadata`, web.forSuperAdmins(changingProviders(web, (ctx) => readForNew(web, ctx))));
  router.get(
    `${LIST}/:name/saml`,
    changingProvider(web, (ctx, { name }) => show(web, ctx, { name })),
  );
  router.post(
    `${LIST}/:name/metadata`,
    changingProvider(web, (ctx, { name }) => readForExisting(web, ctx, name)),
  );
  router.post(
    `${LIST}/:name/refresh`,
    changingProvider(web, (ctx, { name }) => refresh(web, ctx, name)),
  );
  router.post(
    `${LIST}/:name/keygen`,
    changingProvider(web, (ctx, { name }) => makeKey(web, ctx, name)),
  );
}

/** Shows the second step again, filled in with what was found. */
async function readForNew(web: Web, ctx: WebContext): Promise<void> {
  const form = await web.form(ctx);
  const preset = presetFields(form.get('preset') ?? '');
  const start = { ...preset, strategy: 'saml', name: form.get('name') };
  const values = new Map([...valuesOf(start), ['preset', form.get('preset') ?? '']]);
  const fromUrl = form.get('from_url');
  const given = await readGivenMetadata(web, form);
  const shown = { strategy: 'saml', values, fromUrl } as const;
  if (!given.found) return showNew(web, ctx, { ...shown, problems: given.problems });
  showNew(web, ctx, { ...shown, values: withFields(values, given.fields), found: given.found });
}

/** Shows the settings as they would be, unsaved. */
async function readForExisting(web: Web, ctx: WebContext, name: string): Promise<void> {
  const form = await web.form(ctx);
  const stored = await web.act(ctx, (work) => findSaml(work, name));
  const { found, fields, problems } = await readGivenMetadata(web, form);
  if (!found) return show(web, ctx, { name, status: 422, problems, fromUrl: form.get('from_url') });
  const values = withFields(valuesOf(stored.fields), fields);
  showExisting(web, ctx, { stored, values, version: String(stored.version), found });
}

/** What the metadata decides is replaced, down to what it says nothing of. */
function withFields(values: Fields, fields: Readonly<Record<string, unknown>>): Fields {
  const result = new Map(values);
  for (const field of ['metadata_url', ...METADATA_FIELDS]) result.delete(field);
  for (const [field, value] of Object.entries(fields)) result.set(field, String(value));
  return result;
}

/** Asks now, and not when it is time. */
async function refresh(web: Web, ctx: WebContext, name: string): Promise<void> {
  await web.form(ctx);
  const { fields } = await web.act(ctx, (work) => findSaml(work, name));
  const { provider } = parseProvider(fields);
  if (provider?.strategy !== 'saml' || provider.metadataUrl === undefined)
    throw new AppError('conflict', `${name} has no metadata URL`);
  const { id, metadataUrl, entityId } = provider;
  const { access } = await web.federation.open();
  const refused = await access.metadata.refresh({ id, metadataUrl, entityId }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refused !== undefined && !(refused instanceof LoginRefused)) throw refused;
  const known = await web.act(ctx, (work) => lookUpKnownMetadata(work, id));
  if (!refused && known?.problem === undefined)
    return web.redirect(ctx, `${LIST}/${name}/saml`, 'metadata_refreshed');
  const message = refused?.message ?? 'The metadata could not be read; what was read last goes on to hold.';
  await show(web, ctx, { name, status: 409, problems: [{ message }] });
}

async function makeKey(web: Web, ctx: WebContext, name: string): Promise<void> {
  const form = await web.form(ctx);
  const use = KEY_USES.find((each) => each === form.get('for'));
  if (!use) throw invalid([`for: must be ${KEY_USES.join(' or ')}`]);
  const { appUrl } = web.runtime.config.http;
  const replace = form.get('replace') === 'true';
  const wanted = { provider: name, use, replace, appUrl, policy: loginPolicy(web) };
  try {
    await web.act(ctx, (work) => generateProviderKey(work, wanted));
  } catch (error) {
    const { status, problems } = formRefusal(ctx, error, { conflict: '' });
    return show(web, ctx, { name, status, problems });
  }
  web.redirect(ctx, `${LIST}/${name}/saml`, 'key_made');
}

interface Shown {
  name: string;
  status?: number;
  problems?: Problem[];
  fromUrl?: string | undefined;
}

async function show(web: Web, ctx: WebContext, { name, status, problems, fromUrl }: Shown): Promise<void> {
  const [stored, known] = await web.act(ctx, async (work) => {
    const found = await findSaml(work, name);
    return [found, await lookUpKnownMetadata(work, found.sealed.id)];
  });
  const parts = describeInUse(stored, known, web.runtime.now());
  web.page(ctx, samlPage({ name, token: web.token(ctx), ...parts, fromUrl, problems }), status);
}

async function findSaml(work: Work, reference: string): Promise<Stored> {
  const stored = await findStored(work, reference);
  const { name, strategy } = stored.sealed;
  if (strategy === 'saml') return stored;
  throw new AppError('conflict', `${name} uses ${strategy}, which has no metadata and no keys of ours`);
}
