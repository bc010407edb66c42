export const DATE_ORDERS = ['YMD', 'DMY', 'MDY'] as const;
/** The order in which a numeric date is written. */
export type DateOrder = (typeof DATE_ORDERS)[number];

/** As people are told of them. */
export const DATE_ORDER_NAMES: Readonly<Record<DateOrder, string>> = {
  YMD: 'YYYY-MM-DD',
  DMY: 'DD.MM.YYYY',
  MDY: 'MM/DD/YYYY',
};

const NUMERIC = /^(\d{1,4})([-/. ])\s?(\d{1,2})\2\s?(\d{1,4})(?:[T ,].*)?$/;
const COMPACT = /^(\d{8})(?:[T ].*)?$/;
const DAY_MONTH_NAME =
  /^(\d{1,2})(?:\.|st|nd|rd|th)?[-/. ]*(\p{L}{3,})\.?[-/., ]*(\d{4}|\d{2})(?:[T ,].*)?$/u;
const MONTH_NAME_DAY = /^(\p{L}{3,})\.?[- ](\d{1,2})(?:st|nd|rd|th)?,?[- ](\d{4}|\d{2})(?:[T ,].*)?$/u;
// English, German, French, Spanish, Dutch; without accents.
const MONTHS = [
  /^(?:jan|ene)/,
  /^(?:feb|fev)/,
  /^(?:mar|mrz|mrt|maer|maart)/,
  /^(?:apr|avr|abr)/,
  /^(?:may|mai|mei)/,
  /^(?:jun|juin)/,
  /^(?:jul|juil)/,
  /^(?:aug|aou|ago)/,
  /^sep/,
  /^o[ck]t/,
  /^nov/,
  /^d(?:ec|ez|ic)/,
];
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** YYYY-MM-DD, or undefined when the text is no real date in this order; a time after it is dropped. */
export function parseDate(text: string, order: DateOrder): string | undefined {
  const numeric = NUMERIC.exec(text);
  if (numeric) return inOrder(order, numeric[1] ?? '', numeric[3] ?? '', numeric[4] ?? '');
  const compact = COMPACT.exec(text)?.[1];
  if (compact) {
    const [a, b] = order === 'YMD' ? [4, 6] : [2, 4];
    return inOrder(order, compact.slice(0, a), compact.slice(a, b), compact.slice(b));
  }
  const dayFirst = DAY_MONTH_NAME.exec(text);
  if (dayFirst) return realDate(fullYear(dayFirst[3] ?? ''), monthOf(dayFirst[2] ?? ''), Number(dayFirst[1]));
  const monthFirst = MONTH_NAME_DAY.exec(text);
  if (monthFirst)
    return realDate(fullYear(monthFirst[3] ?? ''), monthOf(monthFirst[1] ?? ''), Number(monthFirst[2]));
  return undefined;
}

/** YYYY-MM-DD if the calendar has that day, in a year from 1900 to 2199. */
export function realDate(year: number, month: number, day: number): string | undefined {
  if (!(year >= 1900 && year <= 2199 && month >= 1 && month <= 12 && day >= 1)) return undefined;
  const leapDay = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 1 : 0;
  if (day > (DAYS_IN_MONTH[month - 1] ?? 0) + leapDay) return undefined;
  return `${year}-${month < 10 ? '0' : ''}${month}-${day < 10 ? '0' : ''}${day}`;
}

/** The order a format such as DD.MM.YYYY or MMM D, YY asks for; undefined when it is no such format. */
export function orderOfFormat(format: string): DateOrder | undefined {
  const letters = format
    .toUpperCase()
    .replace(/[^YMD]/g, '')
    .replace(/(.)\1+/g, '$1');
  return DATE_ORDERS.find((order) => order === letters);
}

export type DetectedOrder = { order: DateOrder } | { ambiguous: true } | { unknown: true };

/**
 * Which order these dates are written in. `complete`: they are all the file has, so a doubt that changes none of them
 * is no doubt. 03/04/2024 alone is ambiguous; with dots it is day first, as everywhere dots are used.
 */
export function detectDateOrder(samples: readonly string[], complete: boolean): DetectedOrder {
  const parsed = DATE_ORDERS.map((order) => samples.map((text) => parseDate(text, order)));
  const [ymd = 0, dmy = 0, mdy = 0] = parsed.map(
    (dates) => dates.filter((date) => date !== undefined).length,
  );
  const best = Math.max(ymd, dmy, mdy);
  if (best === 0) return { unknown: true };
  const [, byDay = [], byMonth = []] = parsed;
  const worded = samples.every((text, i) => byDay[i] === undefined || /\p{L}{3}/u.test(text));
  if (ymd === best && !(worded && dmy === best)) return { order: 'YMD' };
  const onlyByDay = byDay.some((date, i) => date !== undefined && byMonth[i] === undefined);
  const onlyByMonth = byMonth.some((date, i) => date !== undefined && byDay[i] === undefined);
  if (onlyByDay !== onlyByMonth) return { order: onlyByDay ? 'DMY' : 'MDY' };
  if (onlyByDay) return { ambiguous: true };
  const same = byDay.every((date, i) => date === byMonth[i]);
  const dotted = samples.every((text, i) => byDay[i] === undefined || /^\d+\./.test(text));
  return worded || dotted || (same && complete) ? { order: 'DMY' } : { ambiguous: true };
}

function inOrder(order: DateOrder, a: string, b: string, c: string): string | undefined {
  if (order === 'YMD')
    return a.length === 4 && c.length <= 2 ? realDate(Number(a), Number(b), Number(c)) : undefined;
  if (a.length > 2 || (c.length !== 4 && c.length !== 2)) return undefined;
  const [day, month] = order === 'DMY' ? [a, b] : [b, a];
  return realDate(fullYear(c), Number(month), Number(day));
}

/** Two digits as POSIX strptime %y: 69 to 99 are 19xx. */
function fullYear(text: string): number {
  const year = Number(text);
  if (text.length > 2) return year;
  return year < 69 ? 2000 + year : 1900 + year;
}

function monthOf(name: string): number {
  const bare = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return MONTHS.findIndex((pattern) => pattern.test(bare)) + 1;
}
