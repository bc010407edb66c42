import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DATE_ORDERS,
  detectDateOrder,
  orderOfFormat,
  parseDate,
  realDate,
} from '#src/imports/readers/parse-date.ts';

test.each([
  ['2024-01-31', 'YMD', '2024-01-31'],
  ['2024/1/3', 'YMD', '2024-01-03'],
  ['2024.01.31', 'YMD', '2024-01-31'],
  ['20240131', 'YMD', '2024-01-31'],
  ['2024-01-31T23:59:59+01:00', 'YMD', '2024-01-31'],
  ['2024-01-31 23:59', 'YMD', '2024-01-31'],
  ['31.01.2024', 'DMY', '2024-01-31'],
  ['31. 1. 2024', 'DMY', '2024-01-31'],
  ['31.1.24', 'DMY', '2024-01-31'],
  ['31/01/2024', 'DMY', '2024-01-31'],
  ['31-01-2024', 'DMY', '2024-01-31'],
  ['31012024', 'DMY', '2024-01-31'],
  ['01/31/2024', 'MDY', '2024-01-31'],
  ['1/31/24', 'MDY', '2024-01-31'],
  ['01312024', 'MDY', '2024-01-31'],
  ['1/31/2024, 10:00 PM', 'MDY', '2024-01-31'],
  ['31-Jan-2024', 'DMY', '2024-01-31'],
  ['31 January 2024', 'DMY', '2024-01-31'],
  ['31JAN2024', 'DMY', '2024-01-31'],
  ['31-Jan-24', 'MDY', '2024-01-31'],
  ['Jan 31, 2024', 'MDY', '2024-01-31'],
  ['5. März 2024', 'DMY', '2024-03-05'],
  ['5 août 2024', 'DMY', '2024-08-05'],
  ['14 juil. 2024', 'DMY', '2024-07-14'],
  ['1 juin 2024', 'DMY', '2024-06-01'],
  ['6 ene 2024', 'DMY', '2024-01-06'],
  ['5 mrt 2024', 'DMY', '2024-03-05'],
  ['24-dic-2024', 'DMY', '2024-12-24'],
  ['29.02.2024', 'DMY', '2024-02-29'],
  ['01.01.68', 'DMY', '2068-01-01'],
  ['01.01.69', 'DMY', '1969-01-01'],
] as const)('%j read %s is %s', (text, order, date) => {
  expect(parseDate(text, order)).toBe(date);
});

test.each([
  ['29.02.2023', 'DMY'],
  ['29.02.1900', 'DMY'],
  ['31.04.2024', 'DMY'],
  ['00.01.2024', 'DMY'],
  ['01.13.2024', 'DMY'],
  ['13/13/2024', 'MDY'],
  ['2024-01-31', 'DMY'],
  ['31/01/2024', 'YMD'],
  ['31.01/2024', 'DMY'],
  ['31.01.224', 'DMY'],
  ['0000-00-00', 'YMD'],
  ['1700-01-01', 'YMD'],
  ['9999-12-31', 'YMD'],
  ['31 Foo 2024', 'DMY'],
  ['2024-01-31x', 'YMD'],
  ['45322', 'YMD'],
  ['', 'YMD'],
  ['pending', 'DMY'],
] as const)('%j read %s is no date', (text, order) => {
  expect(parseDate(text, order)).toBeUndefined();
});

test('agrees with the calendar', () => {
  const date = fc.date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(date, (day) => {
      const text = day.toISOString().slice(0, 10);
      const [year = '', month = '', dayOfMonth = ''] = text.split('-');

      expect(parseDate(text, 'YMD')).toBe(text);
      expect(parseDate(`${dayOfMonth}.${month}.${year}`, 'DMY')).toBe(text);
      expect(parseDate(`${month}/${dayOfMonth}/${year}`, 'MDY')).toBe(text);
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1900, max: 2199 }), fc.nat(14), fc.nat(33), (year, month, day) => {
      const asDate = new Date(Date.UTC(year, month - 1, day));
      const real = asDate.getUTCMonth() === month - 1 && asDate.getUTCDate() === day;

      expect(realDate(year, month, day)).toBe(real ? asDate.toISOString().slice(0, 10) : undefined);
    }),
  );
});

test.each([
  ['YYYY-MM-DD', 'YMD'],
  ['DD.MM.YYYY', 'DMY'],
  ['MM/DD/YY', 'MDY'],
  ['DD-MMM-YYYY', 'DMY'],
  ['d.m.yyyy', 'DMY'],
  ['YYYY', undefined],
  ['DD.MM', undefined],
  ['', undefined],
  ['YYYY-DD-MM', undefined],
])('format %s is %s', (format, order) => {
  expect(orderOfFormat(format)).toBe(order);
});

describe('detectDateOrder', () => {
  test.each([
    [['2024-01-02'], { order: 'YMD' }],
    [['20240102'], { order: 'YMD' }],
    [['13/02/2024', '01/02/2024'], { order: 'DMY' }],
    [['02/13/2024', '01/02/2024'], { order: 'MDY' }],
    [['01.02.2024', '03.04.2024'], { order: 'DMY' }],
    [['01.13.2024'], { order: 'MDY' }],
    [['05-Feb-2024'], { order: 'DMY' }],
    [['Feb 5, 2024'], { order: 'DMY' }],
    [['Pending', '13/02/2024'], { order: 'DMY' }],
    [['05/05/2024'], { order: 'DMY' }],
    [['01/02/2024', '03/04/2024'], { ambiguous: true }],
    [['01-02-2024'], { ambiguous: true }],
    [['13/02/2024', '02/13/2024'], { ambiguous: true }],
    [['soon', ''], { unknown: true }],
  ])('%j', (samples, found) => {
    expect(detectDateOrder(samples, true)).toEqual(found);
  });

  test('05/05/2024 decides nothing when more may follow', () => {
    expect(detectDateOrder(['05/05/2024'], false)).toEqual({ ambiguous: true });
  });

  test('never reads an unambiguous file the wrong way', () => {
    const day = fc.integer({ min: 1, max: 28 });
    const month = fc.integer({ min: 1, max: 12 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(day, month), { minLength: 1 }),
        fc.constantFrom('DMY', 'MDY'),
        (days, order) => {
          const texts = days.map(([d, m]) => (order === 'DMY' ? `${d}/${m}/2024` : `${m}/${d}/2024`));

          const found = detectDateOrder(texts, false);

          if ('order' in found) expect(found.order).toBe(order);
          else expect(days.every(([d]) => d <= 12)).toBe(true);
        },
      ),
    );
  });

  test('every order is known by a format', () => {
    expect(DATE_ORDERS.map((order) => orderOfFormat(order))).toEqual(DATE_ORDERS);
  });
});
