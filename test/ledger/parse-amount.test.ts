import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '#src/kernel/errors.ts';
import { MINOR_UNIT_DIGITS } from '#src/ledger/currencies.ts';
import { formatMoney } from '#src/ledger/money.ts';
import { parseAmount } from '#src/ledger/parse-amount.ts';
import { decimalString } from '#test/ledger/decimal-string.ts';

const CODES = [...MINOR_UNIT_DIGITS.keys()];

describe('with a decimal point', () => {
  test.each([
    ['0', 0],
    ['-0', 0],
    ['-0.00', 0],
    ['1', 100],
    ['1.5', 150],
    ['1.50', 150],
    ['01.50', 150],
    ['.5', 50],
    ['-.5', -50],
    ['5.', 500],
    ['+12.34', 1234],
    ['-12.34', -1234],
    ['12.34-', -1234],
    ['12.34+', 1234],
    ['- 12.34', -1234],
    ['\u221212.34', -1234],
    ['\u201312.34', -1234],
    ['(12.34)', -1234],
    ['($12.34)', -1234],
    ['$(12.34)', -1234],
    ['-$12.34', -1234],
    ['$-12.34', -1234],
    ['$12.34-', -1234],
    ['  12.34  ', 1234],
    ['1,234.50', 123_450],
    ['1,234,567.89', 123_456_789],
    ['12,34,567.89', 123_456_789],
    ['1 234.50', 123_450],
    ['1\u00a0234.50', 123_450],
    ['1\u202f234.50', 123_450],
    ["1'234.50", 123_450],
    ['1’234’567.50', 123_456_750],
    ['$1,234.50', 123_450],
    ['US$1,234.50', 123_450],
    ['USD 1,234.50', 123_450],
    ['1,234.50 USD', 123_450],
    ['1234.50usd', 123_450],
    ['USD -1.00', -100],
    ['-USD 1.00', -100],
    ['90071992547409.91', Number.MAX_SAFE_INTEGER],
    ['-90071992547409.91', Number.MIN_SAFE_INTEGER],
    ['0000000000000000000000001', 100],
  ])('%j is %d cents', (text, minorUnits) => {
    expect(parseAmount(text, { decimal: '.', currency: 'USD' })).toEqual({ minorUnits, rounded: false });
  });
});

describe('with a decimal comma', () => {
  test.each([
    ['1.234', 123_400],
    ['1,234', 123, true],
    ['1.234,50', 123_450],
    ['-1.234,50 €', -123_450],
    ['€ 1.234,50', 123_450],
    ['1 234,5', 123_450],
    ['EUR 12,00-', -1200],
  ])('%j is %d cents', (text, minorUnits, rounded = false) => {
    expect(parseAmount(text, { decimal: ',', currency: 'EUR' })).toEqual({ minorUnits, rounded });
  });
});

test.each([
  ['1.234', 'KWD', 1234],
  ['KWD 1.234', 'KWD', 1234],
  ['¥1,000', 'JPY', 1000],
  ['1,500.00 Ft', 'HUF', 150_000],
  ['120.00 kr', 'SEK', 12_000],
  ['12.00 zł', 'PLN', 1200],
  ['Fr. 12.00', 'CHF', 1200],
  ['R$ 12.00', 'BRL', 1200],
  ['CA$12.00', 'CAD', 1200],
  ['C$12.00', 'CAD', 1200],
  ['A$12.00', 'AUD', 1200],
  ['$12.00', 'CAD', 1200],
  ['¤12', 'XXX', 12],
])('%j in %s is %d', (text, currency, minorUnits) => {
  expect(parseAmount(text, { decimal: '.', currency }).minorUnits).toBe(minorUnits);
});

describe('rounding', () => {
  test.each([
    ['1.004', 100],
    ['1.005', 101],
    ['1.0049999999999999999999999', 100],
    ['1.995', 200],
    ['-1.005', -101],
    ['-1.004', -100],
    ['-0.004', 0],
    ['0.005', 1],
    ['-0.005', -1],
    ['-995.4190396554627', -99_542],
    ['9.999', 1000],
  ])('%s goes half away from zero to %d', (text, minorUnits) => {
    expect(parseAmount(text, { decimal: '.', currency: 'USD' })).toEqual({ minorUnits, rounded: true });
  });

  test.each(['25.000000000000', '-1.100'])('zeros beyond the cents of %s are no rounding', (text) => {
    expect(parseAmount(text, { decimal: '.', currency: 'USD' }).rounded).toBe(false);
  });

  test('is exact for any fraction', () => {
    const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 3, maxLength: 20 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 9 }), digits, fc.boolean(), (whole, fraction, negative) => {
        const text = `${whole}.${fraction.join('')}`;
        const scaled = BigInt(whole) * 10n ** BigInt(fraction.length) + BigInt(fraction.join(''));
        const unit = 10n ** BigInt(fraction.length - 2);
        const expected = Number((scaled * 2n + unit) / (unit * 2n));

        const { minorUnits } = parseAmount(negative ? `-${text}` : text, { decimal: '.', currency: 'USD' });

        expect(minorUnits).toBe(expected === 0 ? 0 : negative ? -expected : expected);
      }),
    );
  });
});

describe('refuses', () => {
  test.each([
    ['', /empty/],
    ['   ', /empty/],
    ['-', /not a number/],
    ['$', /not a number/],
    ['.', /not a number/],
    ['abc', /not a number/],
    ['1e5', /not a number/],
    ['1E5', /not a number/],
    ['1.5e3', /not a number/],
    ['1.2.3', /not a number/],
    ['1,23', /not a number/],
    ['1,2345', /not a number/],
    ['1,234 567.00', /not a number/],
    ['1,,234', /not a number/],
    [',123', /not a number/],
    ['0x10', /not a number/],
    ['NaN', /not a number|not in/],
    ['Infinity', /not a number/],
    ['1/2', /not a number/],
    ['12%', /not a number/],
    ['--1', /two signs/],
    ['-(1)', /two signs/],
    ['-1-', /two signs/],
    ['€5.00', /not in USD/],
    ['EUR 5.00', /not in USD/],
    ['5.00 kr', /not in USD/],
    ['CA$5.00', /not a number in USD/],
    ['١٢', /not a number/],
    ['90071992547409.92', /too large/],
    ['90071992547409.915', /too large/],
    ['9'.repeat(50), /too large/],
    ['9'.repeat(101), /more than 100/],
  ])('%j', (text, message) => {
    const parse = () => parseAmount(text, { decimal: '.', currency: 'USD' });

    expect(parse).toThrow(AppError);
    expect(parse).toThrow(message);
  });
});

describe('reads back what is printed', () => {
  test('by formatMoney', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.constantFrom(...CODES), (amount, currency) => {
        const printed = formatMoney(amount, currency);

        expect(parseAmount(printed, { decimal: '.', currency })).toEqual({
          minorUnits: amount,
          rounded: false,
        });
      }),
      { numRuns: 2000 },
    );
  });

  test('by Intl in other languages', () => {
    const locales = fc.constantFrom('de-DE', 'fr-FR', 'es-ES', 'nl-NL', 'de-CH', 'sv-SE', 'en-IN');
    fc.assert(
      fc.property(fc.integer(), locales, fc.constantFrom('EUR', 'CHF', 'USD'), (cents, locale, currency) => {
        const format = new Intl.NumberFormat(locale, {
          style: 'currency',
          currency,
          signDisplay: 'negative',
        });
        const decimal =
          format.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value === ',' ? ',' : '.';
        const printed = format.format(decimalString(cents, 2));

        expect(parseAmount(printed, { decimal, currency }).minorUnits).toBe(cents === 0 ? 0 : cents);
      }),
    );
  });
});
