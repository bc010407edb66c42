import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { totalPages } from '#src/kernel/page.ts';
import { withLibpqTls } from '#src/kernel/pool.ts';
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

test.each([
  ['postgres://h/d', 'postgres://h/d'],
  ['postgres://h/d?sslmode=require', 'postgres://h/d?sslmode=require&uselibpqcompat=true'],
  [
    'postgres://h/d?sslmode=verify-full&sslrootcert=a.pem',
    'postgres://h/d?sslmode=verify-full&sslrootcert=a.pem&uselibpqcompat=true',
  ],
  [
    'postgres://h/d?sslmode=require&uselibpqcompat=false',
    'postgres://h/d?sslmode=require&uselibpqcompat=false',
  ],
])('sslmode of %s means what libpq means', (given, expected) => {
  expect(withLibpqTls(given)).toBe(expected);
});
