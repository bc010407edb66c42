import type { SIGN_IN_METHODS, USER_STATUSES } from '#src/users/list-users.ts';
import type { Role } from '#src/users/role.ts';

export const ROLE_LABELS: Record<Role, string> = {
  member: 'Member',
  admin: 'Family admin',
  super_admin: 'Super admin',
};

export const STATUS_LABELS: Record<(typeof USER_STATUSES)[number], string> = {
  active: 'Active',
  suspended: 'Suspended',
};

export const METHOD_LABELS: Record<(typeof SIGN_IN_METHODS)[number], string> = {
  password: 'Password',
  none: 'None',
};

interface Option {
  value: string;
  text: string;
}

export function optionsOf(labels: Readonly<Record<string, string>>): Option[] {
  return Object.entries(labels).map(([value, text]) => ({ value, text }));
}

/** How somebody can sign in; `nameOf` tells a provider's name. */
export function methodsOf(
  { hasPassword, identityProviders }: { hasPassword: boolean; identityProviders: readonly string[] },
  nameOf: (provider: string) => string,
): string {
  const methods = [...(hasPassword ? [METHOD_LABELS.password] : []), ...identityProviders.map(nameOf)];
  return methods.length > 0 ? methods.join(', ') : METHOD_LABELS.none;
}
