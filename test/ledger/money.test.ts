import currencyCodes from 'currency-codes';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '#src/kernel/errors.ts';
import { MINOR_UNIT_DIGITS } from '#src/ledger/currencies.ts';
import { formatMoney, isCurrency, minorUnitDigits } from '#src/ledger/money.ts';
import { decimalString } from '#test/ledger/decimal-string.ts';

const CODES = [...MINOR_UNIT_DIGITS.keys()];

function byIntl(minorUnits: number, currency: string): string {
  const digits = minorUnitDigits(currency);
  const format = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return format.format(decimalString(minorUnits, digits)).replaceAll('\u00a0', ' ');
}

test('the table is the one of the currency-codes package', () => {
  const packaged = currencyCodes.codes().map((code) => [code, currencyCodes.code(code)?.digits] as const);

  expect(Object.fromEntries(MINOR_UNIT_DIGITS)).toEqual(Object.fromEntries(packaged));
});

test.each([
  ['USD', 2],
  ['JPY', 0],
  ['KWD', 3],
  ['CLF', 4],
  ['HUF', 2],
  ['IDR', 2],
  ['COP', 2],
  ['IQD', 3],
  ['PKR', 2],
])('%s has %i digits', (currency, digits) => {
  expect(minorUnitDigits(currency)).toBe(digits);
});

test.each(['usd', 'US', '', 'ABC', 'toString'])('%j is no currency', (code) => {
  expect(isCurrency(code)).toBe(false);
  expect(() => minorUnitDigits(code)).toThrow(AppError);
  expect(() => formatMoney(1, code)).toThrow(AppError);
});

describe('formatMoney', () => {
  test.each([
    [0, 'USD', '$0.00'],
    [-0, 'USD', '$0.00'],
    [-1, 'USD', '-$0.01'],
    [-2500, 'USD', '-$25.00'],
    [123_450, 'USD', '$1,234.50'],
    [99_999, 'USD', '$999.99'],
    [100_000_000, 'USD', '$1,000,000.00'],
    [1000, 'JPY', '¥1,000'],
    [-999, 'JPY', '-¥999'],
    [1000, 'EUR', '€10.00'],
    [1000, 'CAD', 'CA$10.00'],
    [1234, 'KWD', 'KWD 1.234'],
    [-1234, 'KWD', '-KWD 1.234'],
    [5, 'CLF', 'CLF 0.0005'],
    [150_000, 'HUF', 'HUF 1,500.00'],
    [Number.MAX_SAFE_INTEGER, 'USD', '$90,071,992,547,409.91'],
    [Number.MIN_SAFE_INTEGER, 'USD', '-$90,071,992,547,409.91'],
  ])('%d %s is %s', (minorUnits, currency, text) => {
    expect(formatMoney(minorUnits, currency)).toBe(text);
  });

  test.each(CODES)('prints %s as Intl does', (currency) => {
    const edges = [0, 1, -1, 9, 10, 99, 100, 999, 1000, -99_999, 100_000, 999_999, 1_000_000];
    const amounts = [...edges, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];

    for (const amount of amounts) expect(formatMoney(amount, currency)).toBe(byIntl(amount, currency));
  });

  test('prints any amount of any currency as Intl does', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.constantFrom(...CODES), (minorUnits, currency) => {
        expect(formatMoney(minorUnits, currency)).toBe(byIntl(minorUnits, currency));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('takes no %d', (amount) => {
    expect(() => formatMoney(amount, 'USD')).toThrow(RangeError);
  });
});
