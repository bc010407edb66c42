import { expect, test } from 'vitest';
import { requireStorable } from '#src/sso/connectors/storable.ts';

function nested(levels: number): object {
  let value: object = {};
  for (let level = 0; level < levels; level += 1) value = { value };
  return value;
}

test.each([
  ['NUL', { name: 'a\0b' }],
  ['half a character', { name: 'a\ud800' }],
  ['half a character in a name', { 'a\udc00': 1 }],
  ['far too many levels', nested(100_000)],
])('an answer with %s is refused', (_, value) => {
  expect(() => requireStorable(value)).toThrow(
    expect.objectContaining({ reason: 'provider_answer_invalid' }),
  );
});

test.each([[{ name: 'Ada \u{1f600}', groups: ['a', { b: [null, 1, true] }] }], [nested(50)]])(
  'others are taken',
  (value) => {
    expect(requireStorable(value)).toBe(value);
  },
);
