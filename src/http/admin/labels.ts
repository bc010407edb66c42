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
