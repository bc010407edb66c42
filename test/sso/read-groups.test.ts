import { expect, test } from 'vitest';
import { readGroups } from '#src/sso/roles/read-groups.ts';

const MICROSOFT = 'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups';

test.each<[string, Record<string, unknown>[], string | undefined, string[] | null]>([
  ['nothing sent', [{}, {}], undefined, null],
  ['nothing said counts as nothing sent', [{ groups: null }], undefined, null],
  ['an empty list', [{ groups: [] }], undefined, []],
  ['one text', [{ groups: 'a' }], undefined, ['a']],
  ['one text with commas and blanks is one group', [{ groups: 'a, b c' }], undefined, ['a, b c']],
  [
    'both sources, each group once',
    [{ groups: ['a', 'b'] }, { groups: ['b', 'c'] }],
    undefined,
    ['a', 'b', 'c'],
  ],
  ['an empty source does not hide the other', [{ groups: [] }, { groups: 'c' }], undefined, ['c']],
  ['letters as they are', [{ groups: ['Admins', 'admins'] }], undefined, ['Admins', 'admins']],
  ['numbers are names too', [{ groups: [7, '8'] }], undefined, ['7', '8']],
  ['anything else is not', [{ groups: [null, {}, ['x'], true, ''] }], undefined, []],
  ['Group', [{ Group: 'a' }], undefined, ['a']],
  ['roles', [{ roles: ['a'] }], undefined, ['a']],
  ['memberOf', [{ memberOf: 'cn=a,dc=b' }], undefined, ['cn=a,dc=b']],
  ['cognito:groups', [{ 'cognito:groups': ['a'] }], undefined, ['a']],
  ['the address Microsoft uses', [{ [MICROSOFT]: ['a'] }], undefined, ['a']],
  ['the first usual name that is there', [{ roles: ['r'] }, { groups: ['g'] }], undefined, ['g']],
  ['the configured one before all others', [{ groups: ['g'], teams: ['t'] }], 'teams', ['t']],
  ['a configured path', [{ realm_access: { roles: ['r'] } }], 'realm_access.roles', ['r']],
  ['the usual ones where the configured is missing', [{ groups: ['g'] }], 'teams', ['g']],
])('%s', (_name, sources, configured, wanted) => {
  expect(readGroups(sources, configured)).toEqual(wanted);
});
