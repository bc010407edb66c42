import { parseProvider } from '#src/sso/providers/parse-provider.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';
import { SAML } from '#test/sso/given-provider.ts';

/** A SAML provider that is configured field by field. */
export function samlProvider(changes: Partial<SamlProvider> = {}): SamlProvider {
  const { provider } = parseProvider(SAML);
  if (provider?.strategy !== 'saml') throw new Error('not SAML');
  return { ...provider, ...changes };
}
