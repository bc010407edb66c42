import { minorUnitDigits } from '#src/ledger/money.ts';

/** Minor units, as PostgreSQL prints a bigint, as a decimal number with the digits of the currency: `-1234` USD is `-12.34`. */
export function decimalAmount(minorUnits: string, currency: string): string {
  const digits = minorUnitDigits(currency);
  const sign = minorUnits.startsWith('-') ? '-' : '';
  const figures = minorUnits.slice(sign.length).padStart(digits + 1, '0');
  if (digits === 0) return sign + figures;
  return `${sign}${figures.slice(0, -digits)}.${figures.slice(-digits)}`;
}
