import { readAttribute } from '#src/sso/roles/read-attribute.ts';

/** Where providers usually put groups (decisions, section 3: Groups). */
const USUAL_NAMES = [
  'groups',
  'Group',
  'roles',
  'memberOf',
  'cognito:groups',
  'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups',
  'Groups',
  'isMemberOf',
  'urn:oid:1.3.6.1.4.1.5923.1.5.1.1',
  'urn:oid:1.2.840.113556.1.2.102',
  'urn:mace:dir:attribute-def:isMemberOf',
  'http://schemas.xmlsoap.org/claims/Group',
  'Role',
  'http://schemas.microsoft.com/ws/2008/06/identity/claims/role',
];

/**
 * All groups that the sources name under the first attribute that any of them has: the configured one, else the usual
 * ones in turn. A text counts as one group. Null when no source has any of these attributes.
 */
export function readGroups(
  sources: readonly Record<string, unknown>[],
  configured: string | undefined,
): string[] | null {
  for (const name of configured === undefined ? USUAL_NAMES : [configured, ...USUAL_NAMES]) {
    const sent = sources.map((source) => readAttribute(source, name)).filter((value) => value != null);
    if (sent.length > 0) return [...new Set(sent.flatMap(toGroups))];
  }
  return null;
}

function toGroups(value: unknown): string[] {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items
    .map((item) => (typeof item === 'number' ? String(item) : item))
    .filter((item) => typeof item === 'string' && item !== '')
    .map(String);
}
