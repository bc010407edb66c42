import { problemsOf } from '#src/http/admin/sso-provider-form.ts';
import type { Fields } from '#src/http/fields.ts';
import type { Problem } from '#src/http/web/layout.ts';
import type { Web } from '#src/http/web/web.ts';
import type { Work } from '#src/kernel/work.ts';
import { verifyProvider } from '#src/sso/checks/verify-provider.ts';
import type { Provider } from '#src/sso/providers/provider.ts';

/** What a provider says to being saved like this. */
interface Answer {
  failures: Problem[];
  /** Keeps what it published, once the provider is saved. */
  keep(work: Work, saved: Provider): Promise<void>;
}

export const UNASKED: Answer = { failures: [], keep: async () => undefined };

/** Asks a provider for its issuer or metadata, unless the form says not to. */
export async function askProvider(web: Web, provider: Provider, values: Fields): Promise<Answer> {
  if (values.get('skip_verify') === 'true') return UNASKED;
  const { access } = await web.federation.open();
  try {
    const imported = await verifyProvider(provider, access);
    if (!imported) return UNASKED;
    const { keepImported } = await import('#src/sso/saml/metadata/import-metadata.ts');
    return { failures: [], keep: (work, saved) => keepImported(work, saved, imported) };
  } catch (error) {
    return { ...UNASKED, failures: problemsOf(error, values, provider.strategy) };
  }
}
