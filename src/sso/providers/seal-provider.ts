import type { Cipher, Place } from '#src/kernel/cipher.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Fields } from '#src/sso/providers/field-reader.ts';
import { parseProvider } from '#src/sso/providers/parse-provider.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { fieldsOf, isSecretField } from '#src/sso/providers/provider-fields.ts';

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

/** The fields it was made of, without the secrets that cannot be decrypted; those with the reason, by name of the field. */
export function openWhatOpens(
  cipher: Cipher,
  { settings, secrets, ...columns }: SealedProvider,
): { fields: Fields; lost: Map<string, AppError> } {
  const { id, name, strategy, label, enabled } = columns;
  const fields: Record<string, unknown> = { ...settings };
  const lost = new Map<string, AppError>();
  for (const [field, sealed] of Object.entries(secrets)) {
    try {
      fields[field] = cipher.open(sealed, secretPlace(id, field));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      lost.set(field, error);
    }
  }
  // An older release kept it for all of them, and it means nothing here.
  if (strategy === 'saml') delete fields.trust_email;
  return { fields: { ...fields, id, name, strategy, label, enabled }, lost };
}

/** Throws `configuration_invalid` when a secret cannot be decrypted, or what is stored is no provider. */
export function openProvider(cipher: Cipher, sealed: SealedProvider): Provider {
  const { fields, lost } = openWhatOpens(cipher, sealed);
  const [unreadable] = lost.values();
  if (unreadable) throw unreadable;
  const { provider, problems } = parseProvider(fields);
  if (provider) return provider;
  throw new Error(problems.map(({ field, message }) => `${field} ${message}`).join('; '));
}

/** Undefined when nobody can sign in with it as it is stored. */
export function tryOpenProvider(cipher: Cipher, sealed: SealedProvider): Provider | undefined {
  const { fields, lost } = openWhatOpens(cipher, sealed);
  return lost.size === 0 ? parseProvider(fields).provider : undefined;
}
