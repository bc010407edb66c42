import { invalid } from '#src/kernel/errors.ts';
import { MINOR_UNIT_DIGITS } from '#src/ledger/currencies.ts';

interface Style {
  prefix: string;
  digits: number;
}

const styles = new Map<string, Style>();

/** Whether ISO 4217 lists this code; codes are upper case. */
export function isCurrency(code: string): boolean {
  return MINOR_UNIT_DIGITS.has(code);
}

/** The code in upper case; throws `validation_failed` for anything ISO 4217 does not list. */
export function requireCurrency(value: string): string {
  const code = value.trim().toUpperCase();
  if (!isCurrency(code))
    throw invalid([`"${value}" is not an ISO 4217 currency code such as USD, EUR or CHF`]);
  return code;
}

/** Decimal digits of the currency's minor unit by ISO 4217: USD 2, JPY 0, KWD 3. Refuses codes the standard does not list. */
export function minorUnitDigits(currency: string): number {
  const digits = MINOR_UNIT_DIGITS.get(currency);
  if (digits === undefined) throw invalid([`currency ${JSON.stringify(currency)} is not an ISO 4217 code`]);
  return digits;
}

/** How amounts of this currency begin in English, without the space: `$`, `CA$`, `KWD`. */
export function currencySymbol(currency: string): string {
  return styleOf(currency).prefix.trim();
}

/**
 * Minor units as Intl prints the amount in English: `-$1,234.50`, `KWD 1.234`. Exact over the whole safe range,
 * ordinary spaces, never `-$0.00`. Throws RangeError when minorUnits is no safe integer: that is a bug, not input.
 */
export function formatMoney(minorUnits: number, currency: string): string {
  if (!Number.isSafeInteger(minorUnits))
    throw new RangeError(`${minorUnits} is not a whole number of minor units`);
  const { prefix, digits } = styles.get(currency) ?? styleOf(currency);
  const sign = minorUnits < 0 ? '-' : '';
  const figures = String(Math.abs(minorUnits)).padStart(digits + 1, '0');
  if (digits === 0) return `${sign}${prefix}${grouped(figures)}`;
  const point = figures.length - digits;
  return `${sign}${prefix}${grouped(figures.slice(0, point))}.${figures.slice(point)}`;
}

function grouped(whole: string): string {
  let end = whole.length;
  if (end <= 3) return whole;
  let text = whole.slice(end - 3);
  for (end -= 3; end > 3; end -= 3) text = `${whole.slice(end - 3, end)},${text}`;
  return `${whole.slice(0, end)},${text}`;
}

function styleOf(currency: string): Style {
  const known = styles.get(currency);
  if (known) return known;
  const digits = minorUnitDigits(currency);
  const parts = new Intl.NumberFormat('en', { style: 'currency', currency }).formatToParts(0);
  // The space Intl puts after a code (KWD 1.234) is a no-break one.
  const prefix = parts
    .slice(
      0,
      parts.findIndex(({ type }) => type === 'integer'),
    )
    .map(({ value }) => value)
    .join('')
    .replaceAll('\u00a0', ' ');
  const style = { prefix, digits };
  styles.set(currency, style);
  return style;
}
