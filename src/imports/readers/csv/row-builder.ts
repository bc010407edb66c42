import { cleanLabel, cleanName, cleanNotes } from '#src/imports/readers/clean-text.ts';
import type { CsvLayout } from '#src/imports/readers/csv/csv-layout.ts';
import { type DateOrder, parseDate } from '#src/imports/readers/parse-date.ts';
import type { StatementRow } from '#src/imports/readers/statement.ts';
import { AppError } from '#src/kernel/errors.ts';

/** Everything but the amount. */
export type RowTexts = Omit<StatementRow, 'line' | 'amountCents' | 'currency' | 'accountHint'>;

const MAX_REMEMBERED = 5000;

/** Reads the cells that are text or date. Throws validation_failed for a date that is none. */
export function textReader({ columns }: CsvLayout, order: DateOrder): (cells: string[]) => RowTexts {
  const readDate = dateReader(order);
  const date = columns.get('date');
  const name = columns.get('name');
  const notes = columns.get('notes');
  const externalId = columns.get('externalId');
  const category = columns.get('category');
  const merchant = columns.get('merchant');
  const tags = columns.get('tags');

  return (cells) => {
    const note = cleanNotes(cell(cells, notes));
    const ownName = cleanName(cell(cells, name));
    return {
      date: readDate(cell(cells, date)),
      name: ownName || (note === null ? '(no description)' : cleanName(note)),
      notes: ownName === '' ? null : note,
      externalId: cleanLabel(cell(cells, externalId)),
      category: cleanLabel(cell(cells, category)),
      merchant: cleanLabel(cell(cells, merchant)),
      tags: tagsOf(cell(cells, tags)),
    };
  };
}

function cell(cells: string[], column: number | undefined): string {
  return column === undefined ? '' : (cells[column] ?? '');
}

/** Statements repeat their dates, so most are looked up. */
function dateReader(order: DateOrder): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const remembered = known.get(text);
    if (remembered !== undefined) return remembered;
    const date = parseDate(text.trim(), order);
    if (date === undefined) {
      const why =
        text.trim() === ''
          ? 'date is empty'
          : `date ${JSON.stringify(text.slice(0, 60))} is no real date (${order})`;
      throw new AppError('validation_failed', why);
    }
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(text, date);
    return date;
  };
}

function tagsOf(text: string): string[] {
  if (text === '') return [];
  const tags = text.split(/[,;|]/).map(cleanName);
  return [...new Set(tags.filter((tag) => tag !== ''))];
}
