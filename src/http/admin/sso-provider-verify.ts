import { problemsOf } from '#src/http/admin/sso-provider-form.ts';
import type { Fields } from '#src/http/fields.ts';
import type { Problem } from '#src/http/web/layout.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import { checkProvider } from '#src/sso/check-provider.ts';
import type { OidcProvider, Provider, SamlProvider } from '#src/sso/provider.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';

/** What a provider says to being saved like this. */
interface Answer {
  failures: Problem[];
  /** Keeps what it published, once the provider is saved. */
  keep(work: Work, saved: Provider): Promise<void>;
}

/** Fields whose change is checked with the provider first (decisions, section 3, Discovery). */
export const ASKED_FOR = ['issuer', 'metadata_url'];

export const UNASKED: Answer = { failures: [], keep: async () => undefined };

/** Asks a provider for its issuer or metadata, unless the form says not to. */
export async function verifyProvider(web: Web, provider: Provider, values: Fields): Promise<Answer> {
  if (provider.strategy === 'oauth2' || values.get('skip_verify') === 'true') return UNASKED;
  const { access } = await web.federation.open();
  return provider.strategy === 'saml'
    ? verifyMetadata(provider, values, access)
    : verifyIssuer(provider, access);
}

async function verifyIssuer(provider: OidcProvider, access: ProviderAccess): Promise<Answer> {
  const { checks } = await checkProvider(provider, access);
  const failures = checks
    .filter(({ status }) => status === 'fail')
    .map(({ message }) => ({ field: 'issuer', message: `Issuer: ${message}` }));
  return { ...UNASKED, failures };
}

async function verifyMetadata(
  { metadataUrl, entityId }: SamlProvider,
  values: Fields,
  access: ProviderAccess,
): Promise<Answer> {
  if (metadataUrl === undefined) return UNASKED;
  // The parser is loaded by those alone who need it.
  const { importMetadataFrom, keepImported } = await import('#src/sso/saml/import-metadata.ts');
  try {
    const imported = await importMetadataFrom({ metadataUrl, entityId }, access);
    return { failures: [], keep: (work, saved) => keepImported(work, saved, imported) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'service_unavailable')
      return { ...UNASKED, failures: problemsOf(error, values, 'saml') };
    const message = error.message.replace('metadata_url: ', 'Metadata URL: ');
    return { ...UNASKED, failures: [{ field: 'metadata_url', message }] };
  }
}
