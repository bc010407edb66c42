import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { totalPages } from '#src/kernel/page.ts';
import { isoTimestamp } from '#src/kernel/timestamp.ts';
import { isUuid } from '#src/kernel/uuid.ts';

test('a timestamp becomes what Date would print, cut to milliseconds', () => {
  const date = fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(date, fc.integer({ min: 0, max: 6 }), (at, digits) => {
      const [day, time = ''] = at.toISOString().slice(0, -1).split('T');
      const [seconds, milliseconds = ''] = time.split('.');
      const fraction = `${milliseconds}000`.slice(0, digits);
      const kept = `${fraction}000`.slice(0, 3);

      expect(isoTimestamp(`${day} ${seconds}${fraction && `.${fraction}`}+00`)).toBe(
        `${day}T${seconds}.${kept}Z`,
      );
    }),
  );
});

test.each([
  ['2026-01-02 22:04:05.123456-05', '2026-01-03T03:04:05.123Z'],
  ['2026-01-02 03:04:05+05:45', '2026-01-01T21:19:05.000Z'],
])('a timestamp of another time zone, %s, is the same moment', (text, iso) => {
  expect(isoTimestamp(text)).toBe(iso);
});

test.each(['02.01.2026 03:04:05 EST', '01/02/2026 03:04:05 UTC', 'infinity', ''])(
  'a timestamp of another style, "%s", is never guessed',
  (text) => {
    expect(() => isoTimestamp(text)).toThrow('not a timestamp');
  },
);

test('pages are counted so that every row has one, and no page is empty', () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.integer({ min: 1, max: 100 }), (totalCount, perPage) => {
      const pages = totalPages({ totalCount, perPage });

      expect(pages * perPage).toBeGreaterThanOrEqual(totalCount);
      expect((pages - 1) * perPage).toBeLessThan(Math.max(totalCount, 1));
    }),
  );
});

describe('a UUID', () => {
  test('is canonical in either case', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        expect([isUuid(uuid), isUuid(uuid.toUpperCase())]).toEqual([true, true]);
      }),
    );
  });

  test.each([
    '',
    'x',
    '{0198c000-0000-7000-8000-000000000000}',
    '0198c0000000700080000000000000000',
    ' 0198c000-0000-7000-8000-000000000000',
    '0198c000-0000-7000-8000-000000000000\n',
  ])('is not %j', (text) => {
    expect(isUuid(text)).toBe(false);
  });
});
