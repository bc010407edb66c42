import { InvalidArgumentError } from 'commander';

/** A whole number from 1, as an option's value. */
export function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
}

/** A whole number from 0. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** A real day, `YYYY-MM-DD`. */
export function day(text: string): string {
  if (!isDay(text)) throw new InvalidArgumentError('It must be a real date such as 2026-01-31.');
  return text;
}

/** A moment: a day (its first instant, UTC) or an ISO 8601 timestamp with its zone. */
export function moment(text: string): Date {
  const timestamp = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.exec(text);
  const date = new Date(text);
  if (!isDay(timestamp?.[1] ?? text) || Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError('It must be a date such as 2026-01-31 or 2026-01-31T12:00:00Z.');
  }
  return date;
}

const MILLISECONDS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A span such as 12h, 90d or 4w, in milliseconds. */
export function span(text: string): number {
  const [, amount, unit = ''] = /^([1-9]\d{0,4})([hdw])$/.exec(text) ?? [];
  const length = MILLISECONDS[unit];
  if (!length) throw new InvalidArgumentError('It must be a number of hours, days or weeks: 12h, 90d, 4w.');
  return Number(amount) * length;
}

const SHORT_MILLISECONDS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** How long something may take, such as 90s, 30m or 2h, in milliseconds. */
export function duration(text: string): number {
  const [, amount, unit = ''] = /^([1-9]\d{0,4})([smh])$/.exec(text) ?? [];
  const length = SHORT_MILLISECONDS[unit];
  if (!length)
    throw new InvalidArgumentError('It must be a number of seconds, minutes or hours: 90s, 30m, 2h.');
  return Number(amount) * length;
}

/** A span of whole days such as 4d or 2w, in days. */
export function days(text: string): number {
  const [, amount, unit] = /^([1-9]\d{0,3})([dw])$/.exec(text) ?? [];
  if (unit === undefined) throw new InvalidArgumentError('It must be a number of days or weeks: 4d, 2w.');
  return Number(amount) * (unit === 'w' ? 7 : 1);
}

/** Where a stretch of time begins: `24h` ago, or the moment itself. */
export function beginning(text: string): Date {
  if (/^\d+[hdw]$/.test(text)) return new Date(Date.now() - span(text));
  try {
    return moment(text);
  } catch {
    throw new InvalidArgumentError('It must be a span such as 24h or 7d, or a date such as 2026-01-31.');
  }
}

function isDay(text: string): boolean {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return date !== undefined && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** One more value of an option that may be repeated. */
export function another(text: string, before: string[] = []): string[] {
  return [...before, text];
}
