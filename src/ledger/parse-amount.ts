import { invalid } from '#src/kernel/errors.ts';
import { currencySymbol, isCurrency, minorUnitDigits } from '#src/ledger/money.ts';

export interface AmountStyle {
  decimal: '.' | ',';
  /** ISO 4217 code. */
  currency: string;
}

export interface ParsedAmount {
  /** Signed, in the currency's minor units. */
  minorUnits: number;
  /** True when the text had more decimal digits than the currency, and they were not all zero. */
  rounded: boolean;
}

const MAX_LENGTH = 100;
const PLAIN = { '.': /^([+-]?)(\d+)(?:\.(\d+))?$/, ',': /^([+-]?)(\d+)(?:,(\d+))?$/ };
// Every other group mark may separate digits, in threes, or in twos above the thousand as in India.
const GROUPED = {
  '.': /^(\d*|\d{1,3}(?=([, '’])\d)(?:\2\d{2,3})*\2\d{3})(?:\.(\d*))?$/,
  ',': /^(\d*|\d{1,3}(?=([. '’])\d)(?:\2\d{2,3})*\2\d{3})(?:,(\d*))?$/,
};
const UNIT = String.raw`(?:F CFA|\p{L}{0,3}\p{Sc}\p{L}{0,3}|\p{L}{1,4}\.?)`;
const UNIT_BEFORE = new RegExp(String.raw`^${UNIT}(?=[\d\s.,+\-(])\s*`, 'u');
const UNIT_AFTER = new RegExp(String.raw`\s*${UNIT}$`, 'u');
const SPACES = /\s+/g;
const LOCAL_UNITS: Record<string, readonly string[]> = {
  '€': ['EUR'],
  '₹': ['INR'],
  '₪': ['ILS'],
  '₫': ['VND'],
  '₴': ['UAH'],
  '₺': ['TRY'],
  '₽': ['RUB'],
  kr: ['SEK', 'NOK', 'DKK', 'ISK'],
  zł: ['PLN'],
  Kč: ['CZK'],
  Ft: ['HUF'],
  Fr: ['CHF'],
  SFr: ['CHF'],
  Fs: ['CHF'],
  lei: ['RON'],
  лв: ['BGN'],
  R: ['ZAR'],
  RM: ['MYR'],
  Rp: ['IDR'],
  Rs: ['INR', 'PKR', 'LKR', 'NPR', 'MUR'],
};

/**
 * An amount as files write it: `-1,234.50`, `1.234,50 €`, `(12.00)`, `12.00-`, `CHF 1’234.50`. Digits beyond the
 * currency's are rounded half away from zero, exactly. Refuses (validation_failed) anything else, and amounts
 * beyond 2^53-1 minor units.
 */
export function parseAmount(text: string, { decimal, currency }: AmountStyle): ParsedAmount {
  const digits = minorUnitDigits(currency);
  const plain = text.length <= MAX_LENGTH ? PLAIN[decimal].exec(text) : null;
  if (plain) return toMinorUnits(text, plain[1] === '-', plain[2] ?? '', plain[3] ?? '', digits);

  if (text.length > MAX_LENGTH) throw invalid([`amount has more than ${MAX_LENGTH} characters`]);
  const { negative, figures } = withoutSignAndUnit(text, currency);
  const match = GROUPED[decimal].exec(figures);
  if (!match || !/\d/.test(figures)) throw notAnAmount(text, decimal);
  return toMinorUnits(text, negative, (match[1] ?? '').replace(/\D/g, ''), match[3] ?? '', digits);
}

function withoutSignAndUnit(text: string, currency: string): { negative: boolean; figures: string } {
  let figures = text
    .replace(SPACES, ' ')
    .replace(/[\u2212\u2012\u2013\uff0d]/g, '-')
    .trim();
  if (figures === '') throw invalid(['amount is empty']);
  let signs = 0;
  let negative = false;
  const take = (pattern: RegExp): boolean => {
    const [found] = pattern.exec(figures) ?? [];
    if (found === undefined) return false;
    figures = figures.replace(pattern, '').trim();
    signs += 1;
    negative ||= !found.includes('+');
    return true;
  };
  const takeSign = () => {
    if (/^\(.*\)$/.test(figures)) {
      figures = figures.slice(1, -1).trim();
      signs += 1;
      negative = true;
    } else if (!take(/^[+-]/)) take(/[+-]$/);
  };
  takeSign();
  for (const unit of [UNIT_BEFORE, UNIT_AFTER]) {
    const [found] = unit.exec(figures) ?? [];
    if (found === undefined) continue;
    checkUnit(found.trim(), text, currency);
    figures = figures.replace(unit, '').trim();
  }
  takeSign();
  if (signs > 1) throw invalid([`amount ${JSON.stringify(text)} has two signs`]);
  return { negative, figures };
}

/** A foreign unit is a wrong amount; a unit nobody knows (such as the E of 1E5) is junk. */
function checkUnit(unit: string, text: string, currency: string): void {
  const bare = unit.replace(/\.$/, '');
  const symbol = currencySymbol(currency).replace(SPACES, ' ');
  if (bare.toUpperCase() === currency || bare === symbol) return;
  const upper = bare.toUpperCase();
  const local = LOCAL_UNITS[bare];
  if (isCurrency(upper) || (local && !local.includes(currency))) {
    throw invalid([`amount ${JSON.stringify(text)} is not in ${currency}`]);
  }
  const letters = upper.replace(/\P{L}/gu, '');
  // A$, US$, $US: the letters begin the code.
  if (local || (/\p{Sc}/u.test(bare) && currency.startsWith(letters))) return;
  throw invalid([`amount ${JSON.stringify(text)} is not a number in ${currency}`]);
}

function toMinorUnits(
  text: string,
  negative: boolean,
  whole: string,
  fraction: string,
  digits: number,
): ParsedAmount {
  const kept = fraction.length > digits ? fraction.slice(0, digits) : fraction.padEnd(digits, '0');
  let magnitude = Number(whole + kept);
  let rounded = false;
  if (fraction.length > digits) {
    rounded = /[1-9]/.test(fraction.slice(digits));
    if (fraction.charCodeAt(digits) >= 53) magnitude += 1; // '5': half goes away from zero
  }
  // Every integer above 2^53-1 reads as 2^53 or more, so none slips through inexactly.
  if (!Number.isSafeInteger(magnitude)) throw invalid([`amount ${JSON.stringify(text)} is too large`]);
  return { minorUnits: negative && magnitude !== 0 ? -magnitude : magnitude, rounded };
}

function notAnAmount(text: string, decimal: string) {
  return invalid([
    `amount ${JSON.stringify(text)} is not a number with decimal ${decimal === '.' ? 'point' : 'comma'}`,
  ]);
}
