import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAttribute } from '#src/sso/roles/read-attribute.ts';

const SAID = {
  email: 'ada@example.com',
  realm_access: { roles: ['a', 'b'] },
  emails: [{ value: 'one' }, { value: 'two' }],
  'https://example.com/groups': ['g'],
  'urn:oid:1.3.6.1': 'oid',
  'a.b': { 'c.d': 'dotted', c: { d: 'nested' } },
  a: { b: { c: { e: 'deep' } } },
  nothing: null,
  no: false,
  zero: 0,
};

test.each<[string, unknown]>([
  ['email', 'ada@example.com'],
  ['realm_access.roles', ['a', 'b']],
  ['realm_access.roles.1', 'b'],
  ['emails.0.value', 'one'],
  ['emails[1].value', 'two'],
  ['emails.2.value', undefined],
  ['emails.length', undefined],
  ['emails.-1', undefined],
  ['https://example.com/groups', ['g']],
  ['https://example.com/groups.0', 'g'],
  ['urn:oid:1.3.6.1', 'oid'],
  ['a.b.c.d', 'dotted'],
  ['a.b.c.e', 'deep'],
  ['nothing', null],
  ['nothing.more', undefined],
  ['no', false],
  ['zero', 0],
  ['email.length', undefined],
  ['missing', undefined],
  ['', undefined],
  ['.', undefined],
  ['constructor', undefined],
  ['__proto__', undefined],
  ['realm_access.__proto__.toString', undefined],
  ['realm_access.roles.constructor', undefined],
])('%s', (path, wanted) => {
  expect(readAttribute(SAID, path)).toEqual(wanted);
});

test('any name is found whole, whatever is in it', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.integer(), (name, value) => {
      expect(readAttribute(Object.fromEntries([[name, value]]), name)).toBe(value);
    }),
  );
});

test('any path of names is followed', () => {
  const name = fc.stringMatching(/^[a-z:/_][a-z0-9:/_]{0,9}$/);
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 8 }), fc.integer(), (names, value) => {
      const said = names.reduceRight<unknown>((inner, each) => ({ [each]: inner }), value);

      expect(readAttribute(said, names.join('.'))).toBe(value);
    }),
  );
});

test('any answer is read without an error, and quickly', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (said, path) => {
      readAttribute(said, path);
    }),
  );
  const tangled = (depth: number): unknown =>
    depth === 0
      ? {}
      : Object.fromEntries(
          [1, 2, 3].map((length) => [Array(length).fill('a').join('.'), tangled(depth - 1)]),
        );
  const started = performance.now();

  readAttribute(tangled(8), Array(12).fill('a').join('.').concat('.b'));
  readAttribute(tangled(8), Array(500).fill('a').join('.'));

  expect(performance.now() - started).toBeLessThan(250);
});
