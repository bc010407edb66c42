import { fileDefect } from '#src/imports/readers/file-defect.ts';
import { type DateOrder, orderOfFormat } from '#src/imports/readers/parse-date.ts';

export const DATE_FORMAT_HINT = 'Give the date format: --date-format DD/MM/YYYY or --date-format MM/DD/YYYY.';

/** What was asked for, if anything was; refused when it is no format. */
export function givenDateOrder(dateFormat: string | undefined, label: string): DateOrder | undefined {
  if (dateFormat === undefined) return undefined;
  const order = orderOfFormat(dateFormat);
  if (order) return order;
  const hint = 'Formats look like YYYY-MM-DD, DD.MM.YYYY, MM/DD/YY or DD-MMM-YYYY.';
  throw fileDefect(label, 1, `date format ${JSON.stringify(dateFormat)} is not known`, hint);
}
