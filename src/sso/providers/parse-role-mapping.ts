import { type FieldReader, isRecord } from '#src/sso/providers/field-reader.ts';
import type { RoleMapping } from '#src/sso/providers/provider.ts';
import { ROLES, type Role } from '#src/users/role.ts';

const FIELD = 'role_mapping';
const SHAPES = ['mappings', 'conditions', 'hierarchy', 'custom_mappings'];

/**
 * The object of the specification (Role mapping shapes), or role → groups as Sure's files have it; as JSON text too.
 * Everything wrong is reported.
 */
export function readRoleMapping(reader: FieldReader): RoleMapping {
  const value = parseJson(reader);
  if (value === undefined) return { mappings: [], conditions: [], hierarchy: {}, customMappings: {} };

  const byRole = Object.entries(value).filter(([key]) => !SHAPES.includes(key));
  return {
    mappings: [
      ...readMappings(reader, value.mappings),
      ...byRole.flatMap((entry) => readRoleGroups(reader, entry)),
    ],
    conditions: readConditions(reader, value.conditions),
    hierarchy: readHierarchy(reader, value.hierarchy),
    customMappings: readCustomMappings(reader, value.custom_mappings),
  };
}

function parseJson(reader: FieldReader): Record<string, unknown> | undefined {
  const given = reader.value(FIELD);
  let value = given;
  if (typeof given === 'string') {
    try {
      value = JSON.parse(given);
    } catch {
      reader.report(FIELD, 'is not valid JSON');
      return undefined;
    }
  }
  if (value === undefined || value === null) return undefined;
  if (isRecord(value)) return value;
  reader.report(FIELD, `must be an object with ${SHAPES.join(', ')}`);
  return undefined;
}

function readMappings(reader: FieldReader, value: unknown): RoleMapping['mappings'] {
  return readList(reader, 'mappings', value).flatMap((item, index) => {
    const at = `mappings[${index}]`;
    const [group] = readGroups(reader, `${at}.group`, [item.group]);
    const role = readRole(reader, `${at}.role`, item.role);
    refuseOthers(reader, at, item, ['group', 'role']);
    return group !== undefined && role ? [{ group, role }] : [];
  });
}

function readRoleGroups(reader: FieldReader, [role, groups]: [string, unknown]): RoleMapping['mappings'] {
  const known = ROLES.find((candidate) => candidate === role);
  if (!known) {
    reader.report(FIELD, `${role} is neither a role (${ROLES.join(', ')}) nor one of ${SHAPES.join(', ')}`);
    return [];
  }
  return readGroups(reader, role, groups).map((group) => ({ group, role: known }));
}

function readConditions(reader: FieldReader, value: unknown): RoleMapping['conditions'] {
  return readList(reader, 'conditions', value).flatMap((item, index) => {
    const at = `conditions[${index}]`;
    const attribute = readText(reader, `${at}.attribute`, item.attribute);
    const wanted = readText(reader, `${at}.value`, item.value);
    const groups = readGroups(reader, `${at}.groups`, item.groups);
    const role = readRole(reader, `${at}.role`, item.role);
    refuseOthers(reader, at, item, ['attribute', 'value', 'groups', 'role']);
    return attribute !== undefined && wanted !== undefined && role
      ? [{ attribute, value: wanted, groups, role }]
      : [];
  });
}

/** A role includes lower ones only, so there can be no circle. */
function readHierarchy(reader: FieldReader, value: unknown): RoleMapping['hierarchy'] {
  const hierarchy: Partial<Record<Role, Role[]>> = {};
  for (const [name, included] of readObject(reader, 'hierarchy', value)) {
    const role = readRole(reader, `hierarchy.${name}`, name);
    const roles = readTexts(reader, `hierarchy.${name}`, included).flatMap(
      (each) => readRole(reader, `hierarchy.${name}`, each) ?? [],
    );
    if (!role) continue;
    for (const each of roles) {
      if (each === role) reader.report(FIELD, `hierarchy.${name} includes itself: a circle`);
      else if (ROLES.indexOf(each) > ROLES.indexOf(role)) {
        reader.report(FIELD, `hierarchy.${name} must not include ${each}, which is a higher role`);
      }
    }
    hierarchy[role] = [...new Set(roles)];
  }
  return hierarchy;
}

const TARGET = /^(first_name|last_name|locale|profile(\.[a-z][a-z0-9_]{0,49}){1,5})$/;

function readCustomMappings(reader: FieldReader, value: unknown): Record<string, string> {
  const entries = readObject(reader, 'custom_mappings', value).flatMap(
    ([attribute, target]): [string, string][] => {
      const at = `custom_mappings.${attribute}`;
      const field = readText(reader, at, target);
      if (field === undefined) return [];
      if (TARGET.test(field)) return [[attribute, field]];
      reader.report(FIELD, `${at} must lead to first_name, last_name, locale or profile.<name>`);
      return [];
    },
  );
  return Object.fromEntries(entries);
}

function readList(reader: FieldReader, at: string, value: unknown): Record<string, unknown>[] {
  if (value === undefined || value === null) return [];
  const items: unknown[] = Array.isArray(value) ? value : [undefined];
  const records = items.filter(isRecord);
  if (records.length === items.length) return records;
  reader.report(FIELD, `${at} must be a list of objects`);
  return [];
}

function readObject(reader: FieldReader, at: string, value: unknown): [string, unknown][] {
  if (value === undefined || value === null) return [];
  if (isRecord(value)) return Object.entries(value);
  reader.report(FIELD, `${at} must be an object`);
  return [];
}

/** Groups by name. What Sure means by `*`, everybody, is no group. */
function readGroups(reader: FieldReader, at: string, value: unknown): string[] {
  const groups = readTexts(reader, at, value);
  if (!groups.includes('*')) return groups;
  const instead = 'for everybody of whom no rule is true, set default_role to that role';
  reader.report(FIELD, `${at} must not be *, which is no group: name the groups or, ${instead}`);
  return groups.filter((group) => group !== '*');
}

/** A list of texts; one text counts as a list of one. */
function readTexts(reader: FieldReader, at: string, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items.flatMap((item) => readText(reader, at, item) ?? []);
}

/** Text exactly as it is: groups are compared character by character. */
function readText(reader: FieldReader, at: string, value: unknown): string | undefined {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof text === 'string' && text !== '' && text.length <= 500 && !/\p{Cc}/u.test(text)) return text;
  reader.report(FIELD, `${at} must be text of at most 500 characters`);
  return undefined;
}

function readRole(reader: FieldReader, at: string, value: unknown): Role | undefined {
  const role = ROLES.find((candidate) => candidate === value);
  if (!role) reader.report(FIELD, `${at} must be a role: ${ROLES.join(', ')}`);
  return role;
}

function refuseOthers(reader: FieldReader, at: string, item: object, known: readonly string[]): void {
  const others = Object.keys(item).filter((key) => !known.includes(key));
  if (others.length > 0) reader.report(FIELD, `${at} has unknown fields: ${others.join(', ')}`);
}
