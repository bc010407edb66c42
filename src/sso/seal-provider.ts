import type { Cipher, Place } from '#src/kernel/cipher.ts';
import type { Fields } from '#src/sso/field-reader.ts';
import { parseProvider } from '#src/sso/parse-provider.ts';
import type { Provider } from '#src/sso/provider.ts';
import { fieldsOf, isSecretField } from '#src/sso/provider-fields.ts';

/** A provider as the database has it: columns, the other fields, and the secrets, each encrypted. */
export interface SealedProvider {
  id: string;
  name: string;
  strategy: Provider['strategy'];
  label: string;
  enabled: boolean;
  settings: Record<string, unknown>;
  secrets: Record<string, string>;
}

/** Where the secret of a provider is kept, for the cipher. */
export function secretPlace(id: string, field: string): Place {
  return { table: 'sso_providers', column: `secrets.${field}`, row: id };
}

export function sealProvider(cipher: Cipher, provider: Provider): SealedProvider {
  const { id, name, strategy, label, enabled } = provider;
  const settings: Record<string, unknown> = {};
  const secrets: Record<string, string> = {};
  for (const [field, value] of Object.entries(fieldsOf(provider))) {
    if (COLUMNS.includes(field)) continue;
    if (isSecretField(field)) secrets[field] = cipher.seal(String(value), secretPlace(id, field));
    else settings[field] = value;
  }
  return { id, name, strategy, label, enabled, settings, secrets };
}

/** Fields that have a column of their own. */
const COLUMNS = ['id', 'name', 'strategy', 'label', 'enabled'];

/** The fields it was made of. Throws `configuration_invalid` when a secret cannot be decrypted. */
export function openFields(cipher: Cipher, { settings, secrets, ...columns }: SealedProvider): Fields {
  const { id, name, strategy, label, enabled } = columns;
  const opened = Object.entries(secrets).map(([field, sealed]) => [
    field,
    cipher.open(sealed, secretPlace(id, field)),
  ]);
  return { ...settings, ...Object.fromEntries(opened), id, name, strategy, label, enabled };
}

/** Throws `configuration_invalid` when a secret cannot be decrypted, or what is stored is no provider. */
export function openProvider(cipher: Cipher, sealed: SealedProvider): Provider {
  const { provider, problems } = parseProvider(openFields(cipher, sealed));
  if (provider) return provider;
  throw new Error(problems.map(({ field, message }) => `${field} ${message}`).join('; '));
}
