import { notFound } from '#src/kernel/errors.ts';
import type { Federation } from '#src/sso/federation.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import type { ProviderEntry } from '#src/sso/providers/provider-source.ts';

/** The provider of this name as it is configured now. Throws `not_found`, or `LoginRefused` when it is off or cannot work. */
export async function findUsableProvider(
  { source }: Pick<Federation, 'source'>,
  name: string,
): Promise<Provider> {
  const entry = await source.lookUpByName(name);
  if (!entry) throw notFound('Identity provider');
  return requireUsable(entry);
}

/** Throws `LoginRefused` when it is off or cannot work. */
export function requireUsable(entry: ProviderEntry | undefined): Provider {
  if (!entry?.enabled) throw new LoginRefused('provider_disabled');
  if (!entry.provider) throw new LoginRefused('provider_misconfigured');
  return entry.provider;
}
