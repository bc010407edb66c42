import { stripUnsafe } from '#src/kernel/safe-text.ts';
import type { Identity } from '#src/sso/connector.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { readAttribute } from '#src/sso/roles/read-attribute.ts';
import type { User } from '#src/users/user.entity.ts';

const LONGEST_NAME = 100;
const LONGEST_VALUE = 1_000;

/**
 * Fills what is blank about a user from the provider's answer; nothing that is there is overwritten, and the email is
 * never touched (decisions, section 3: Names). Custom mappings go before the usual names.
 */
export function fillProfile(
  user: User,
  { roleMapping }: Pick<Provider, 'roleMapping'>,
  identity: Identity,
): void {
  for (const [path, field] of Object.entries(roleMapping.customMappings)) {
    const value = plainText(readAttribute(identity.attributes, path), LONGEST_VALUE);
    if (value !== null) fill(user, field, value);
  }
  user.firstName ??= plainText(identity.firstName, LONGEST_NAME);
  user.lastName ??= plainText(identity.lastName, LONGEST_NAME);
}

function fill(user: User, field: string, value: string): void {
  if (field === 'first_name') user.firstName ??= value.slice(0, LONGEST_NAME);
  else if (field === 'last_name') user.lastName ??= value.slice(0, LONGEST_NAME);
  else if (user.profile[field] === undefined) user.profile = { ...user.profile, [field]: value };
}

/** One line of text without control characters; null when there is none. */
export function plainText(value: unknown, longest: number): string | null {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return null;
  const text = stripUnsafe(String(value).replaceAll(/\p{Cc}+/gu, ' ')).trim();
  return text === '' ? null : text.slice(0, longest);
}
