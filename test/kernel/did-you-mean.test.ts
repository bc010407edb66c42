import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { didYouMean, similarTo } from '#src/kernel/did-you-mean.ts';

describe('similar names', () => {
  test.each([
    ['otka', ['okta', 'google'], ['okta']],
    ['OKTA', ['okta', 'oktb'], ['okta']],
    ['gogle', ['okta', 'google'], ['google']],
    ['lgoin', ['login', 'logout', 'link'], ['login']],
    ['loggout', ['login', 'logout'], ['logout']],
    ['bat', ['cat', 'bar', 'okta'], ['bar', 'cat']],
    ['x', ['y'], []],
    ['', ['a'], []],
    ['keycloak', ['okta', 'google'], []],
    ['okta', [], []],
  ])('of %j among %j are %j', (word, known, expected) => {
    expect(similarTo(word, known)).toEqual(expected);
  });

  test('are found whatever single slip was made', () => {
    const word = fc.stringMatching(/^[a-z]{4,12}$/);
    const slip = fc.tuple(word, fc.nat(), fc.constantFrom('leave out', 'double', 'swap', 'replace'));
    fc.assert(
      fc.property(slip, ([name, at, kind]) => {
        const index = at % (name.length - 1);
        const [left, right] = [name.slice(0, index), name.slice(index + 1)];
        const letter = name.charAt(index);
        const slipped = {
          'leave out': left + right,
          double: `${left}${letter}${letter}${right}`,
          swap: `${left}${right.charAt(0)}${letter}${right.slice(1)}`,
          replace: `${left}-${right}`,
        }[kind];
        expect(similarTo(slipped, [name, 'something-else-entirely'])).toEqual([name]);
      }),
    );
  });

  test('come before what is known, of which only the beginning is listed', () => {
    expect(didYouMean('otka', ['okta', 'google'])).toBe('Did you mean okta? Known: okta, google.');
    expect(didYouMean('other', ['okta'])).toBe('Known: okta.');
    expect(didYouMean('other', [])).toBeUndefined();
    const many = Array.from({ length: 30 }, (_, index) => `provider-${index}`);
    expect(didYouMean('other', many)).toMatch(/provider-19 and 10 more\.$/);
  });
});
