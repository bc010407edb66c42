const NUMERIC = /^(\d{1,4})\s*([-/.])\s*(\d{1,2})\s*([-/.'’])\s*(\d{1,4})$/;

/**
 * A date as parseDate reads it. Quicken fills with spaces (`1/ 5/98`) and writes an apostrophe before the years from
 * 2000 on: `1/ 5' 4` is 2004.
 */
export function tidyQifDate(text: string): string {
  const [, first = '', mark = '', second = '', lastMark = '', third = ''] = NUMERIC.exec(text) ?? [];
  if (mark === '') return text;
  const isShort = third.length < 3 && first.length < 3;
  const year = isShort && /['’]/.test(lastMark) ? `20${third.padStart(2, '0')}` : third;
  return [first, second, isShort ? year.padStart(2, '0') : year].join(mark);
}
