import { lines } from '#src/kernel/safe-text.ts';

export type CsvValue = string | number | boolean | null | undefined;

/** One record of a CSV file (RFC 4180), without its line end. No text in it is taken for a formula by a spreadsheet. */
export function csvRecord(values: readonly CsvValue[]): string {
  return values.map((value) => (typeof value === 'string' ? field(value) : String(value ?? ''))).join(',');
}

function field(value: string): string {
  const text = lines(/^[=+\-@\t\r]/.test(value) ? `'${value}` : value);
  return /[",\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}
