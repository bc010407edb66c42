import { providerFormPage } from '#src/http/admin/sso-provider-form-page.ts';
import { foundSection, metadataForm } from '#src/http/admin/sso-saml-sections.ts';
import type { Fields } from '#src/http/fields.ts';
import { type Html, html } from '#src/http/html.ts';
import type { Problem } from '#src/http/web/layout.ts';
import type { WebContext } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import type { Work } from '#src/kernel/work.ts';
import { findProvider } from '#src/sso/providers/find-provider.ts';
import { PRESETS } from '#src/sso/providers/presets.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { isSecretField } from '#src/sso/providers/provider-fields.ts';
import { providerUrls } from '#src/sso/providers/provider-urls.ts';
import { openWhatOpens, type SealedProvider } from '#src/sso/providers/seal-provider.ts';
import type { MetadataSummary } from '#src/sso/saml/metadata/describe-metadata.ts';

const LIST = '/admin/sso_providers';

interface Shown {
  strategy: Provider['strategy'];
  values: Fields;
  problems?: Problem[] | undefined;
  /** What metadata has just been found to say; `values` have it already. */
  found?: MetadataSummary | undefined;
  /** Address of the metadata that was asked for. */
  fromUrl?: string | undefined;
}

/** All fields of a provider that is not there yet. */
export function showNew(web: Web, ctx: WebContext, shown: Shown): void {
  const { strategy, values, problems, found, fromUrl } = shown;
  const name = values.get('name') ?? '';
  const chosen = values.get('preset') ?? '';
  const preset = Object.hasOwn(PRESETS, chosen) ? PRESETS[chosen] : undefined;
  const token = web.token(ctx);
  const start = { name, preset: chosen };
  const example = preset?.metadataExample;
  const reading = { action: `${LIST}/metadata`, token, start, url: fromUrl, example, problems };
  const page = providerFormPage({
    strategy,
    values,
    problems,
    storedSecrets: [],
    lostSecrets: [],
    urls: providerUrls({ id: name, name, strategy }, web.runtime.config.http.appUrl),
    token,
    preset,
    above:
      strategy === 'saml' &&
      html`${metadataForm(reading)}${found && foundSection(found, 'Add the provider')}`,
  });
  web.page(ctx, page, problems ? 422 : 200);
}

export interface Stored {
  sealed: SealedProvider;
  /** Without secrets that cannot be read. */
  fields: Record<string, unknown>;
  /** Names of the secrets that cannot be read; what is typed replaces them. */
  lost: string[];
  version: number;
}

export async function findStored(work: Work, name: string): Promise<Stored> {
  const sealed = await findProvider(work, name);
  const { fields, lost } = openWhatOpens(work.cipher, sealed);
  return { sealed, fields, lost: [...lost.keys()], version: sealed.version };
}

interface ShownExisting {
  stored: Stored;
  values: Fields;
  /** Of what is edited, which may have changed since. */
  version: string;
  problems?: Problem[] | undefined;
  status?: number | undefined;
  /** Whether what was refused may be done all the same. */
  mayInsist?: boolean;
  found?: MetadataSummary | undefined;
}

/** The same of one that is. */
export function showExisting(web: Web, ctx: WebContext, shown: ShownExisting): void {
  const { stored, values, version, problems, status, mayInsist = false, found } = shown;
  const { fields, lost } = stored;
  const { id, name, strategy } = stored.sealed;
  const redirectUri = typeof fields.redirect_uri === 'string' ? fields.redirect_uri : undefined;
  const page = providerFormPage({
    strategy,
    values,
    problems,
    storedSecrets: Object.keys(fields).filter(isSecretField),
    lostSecrets: lost,
    urls: providerUrls({ id, name, strategy, redirectUri }, web.runtime.config.http.appUrl),
    token: web.token(ctx),
    existing: { name, version },
    mayInsist,
    above: strategy === 'saml' && samlPart(name, found),
  });
  web.page(ctx, page, status);
}

function samlPart(name: string, found: MetadataSummary | undefined): Html {
  if (found) return foundSection(found, 'Save');
  return html`<p><a class="button quiet" href="${LIST}/${name}/saml">Metadata, keys and single logout</a></p>`;
}
