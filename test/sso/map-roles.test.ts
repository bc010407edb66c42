import { describe, expect, test } from 'vitest';
import type { RoleMapping } from '#src/sso/providers/provider.ts';
import { mapRoles } from '#src/sso/roles/map-roles.ts';
import type { Role } from '#src/users/role.ts';

const mapping = (changes: Partial<RoleMapping> = {}): RoleMapping => ({
  mappings: [],
  conditions: [],
  hierarchy: {},
  customMappings: {},
  ...changes,
});

const BY_GROUP = mapping({
  mappings: [
    { group: 'staff', role: 'member' },
    { group: 'leads', role: 'admin' },
    { group: 'root', role: 'super_admin' },
  ],
});

describe('groups', () => {
  test.each<[string[] | null, Role | undefined]>([
    [['staff'], 'member'],
    [['staff', 'leads'], 'admin'],
    [['root', 'staff'], 'super_admin'],
    [['leads', 'root', 'staff'], 'super_admin'],
    [['Staff'], undefined],
    [['staff '], undefined],
    [['superstaff', 'sta', 'staffroot'], undefined],
    [[], undefined],
    [null, undefined],
  ])('%j give %s', (groups, role) => {
    const decision = mapRoles(BY_GROUP, { groups, attributes: {} });

    expect(decision).toMatchObject(role ? { kind: 'matched', role } : { kind: 'no_match' });
  });

  test('do not matter when there is no rule, even with a hierarchy', () => {
    const hierarchy = { admin: ['member' as const] };

    expect(mapRoles(mapping({ hierarchy }), { groups: ['root'], attributes: {} })).toEqual({
      kind: 'no_rules',
      rules: [],
    });
  });
});

const rule = (groups: string[], attribute = 'department', value = 'it') =>
  mapping({ conditions: [{ attribute, value, groups, role: 'admin' }] });

describe('a condition', () => {
  test.each<[string, RoleMapping, string[] | null, Record<string, unknown>, boolean]>([
    ['equal', rule([]), null, { department: 'it' }, true],
    ['another value', rule([]), null, { department: 'hr' }, false],
    ['another case', rule([]), null, { department: 'IT' }, false],
    ['longer text', rule([]), null, { department: 'it-support' }, false],
    ['not sent', rule([]), null, {}, false],
    ['one of several values', rule([]), null, { department: ['hr', 'it'] }, true],
    ['a number', rule([], 'level', '7'), null, { level: 7 }, true],
    ['a yes', rule([], 'staff', 'true'), null, { staff: true }, true],
    ['an object', rule([], 'o', '[object Object]'), null, { o: {} }, false],
    ['a path', rule([], 'org.units.0', 'it'), null, { org: { units: ['it'] } }, true],
    ['equal and in one of the groups', rule(['a', 'b']), ['b'], { department: 'it' }, true],
    ['equal and in none of the groups', rule(['a', 'b']), ['c'], { department: 'it' }, false],
    ['equal and no groups sent', rule(['a']), null, { department: 'it' }, false],
    ['in a group, but not equal', rule(['a']), ['a'], { department: 'hr' }, false],
  ])('%s', (_name, rules, groups, attributes, matched) => {
    const decision = mapRoles(rules, { groups, attributes });

    expect(decision.kind).toBe(matched ? 'matched' : 'no_match');
  });

  test('wins over a mapping to a lower role, and loses against a higher one', () => {
    const rules = mapping({
      mappings: BY_GROUP.mappings,
      conditions: [{ attribute: 'department', value: 'it', groups: [], role: 'admin' }],
    });
    const attributes = { department: 'it' };

    expect(mapRoles(rules, { groups: ['staff'], attributes })).toMatchObject({ role: 'admin' });
    expect(mapRoles(rules, { groups: ['root'], attributes })).toMatchObject({ role: 'super_admin' });
  });
});

test('the hierarchy names all roles below, through several steps', () => {
  const hierarchy = { super_admin: ['admin' as const], admin: ['member' as const] };

  expect(mapRoles({ ...BY_GROUP, hierarchy }, { groups: ['root'], attributes: {} })).toMatchObject({
    includes: ['admin', 'member'],
  });
  expect(mapRoles({ ...BY_GROUP, hierarchy }, { groups: ['leads'], attributes: {} })).toMatchObject({
    includes: ['member'],
  });
  expect(mapRoles(BY_GROUP, { groups: ['root'], attributes: {} })).toMatchObject({ includes: [] });
});

test('every rule says what came of it', () => {
  const rules = mapping({
    mappings: BY_GROUP.mappings.slice(0, 2),
    conditions: [
      { attribute: 'department', value: 'it', groups: [], role: 'admin' },
      { attribute: 'department', value: 'it', groups: ['x', 'leads'], role: 'super_admin' },
      { attribute: 'department', value: 'it', groups: ['x'], role: 'super_admin' },
      { attribute: 'department', value: 'hr', groups: [], role: 'member' },
      { attribute: 'office', value: 'Rome', groups: [], role: 'member' },
    ],
  });

  const decision = mapRoles(rules, { groups: ['leads'], attributes: { department: 'it' } });

  expect(decision.rules.map(({ rule, matched, because }) => `${rule} ${matched}: ${because}`)).toEqual([
    'mappings[0] false: is not in group "staff"',
    'mappings[1] true: is in group "leads"',
    'conditions[0] true: "department" is "it"',
    'conditions[1] true: "department" is "it" and is in group "leads"',
    'conditions[2] false: "department" is "it", but is in none of the groups of the rule',
    'conditions[3] false: "department" has another value; wanted is "hr"',
    'conditions[4] false: "office" was not sent; wanted is "Rome"',
  ]);
});
