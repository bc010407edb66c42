import { InvalidArgumentError } from 'commander';
import type { CsvField, ReadOptions } from '#src/imports/readers/statement.ts';
import { guess, similarTo } from '#src/kernel/did-you-mean.ts';

type Columns = NonNullable<ReadOptions['columns']>;

/** What people write in `--map field=column`. */
const FIELDS: Readonly<Record<CsvField, string>> = {
  date: 'date',
  amount: 'amount',
  outflow: 'outflow',
  inflow: 'inflow',
  direction: 'direction',
  name: 'name',
  notes: 'notes',
  category: 'category',
  merchant: 'merchant',
  tags: 'tags',
  currency: 'currency',
  externalId: 'external_id',
  account: 'account',
};

/** Adds one `field=column` to those before it. The column is a heading, or a number counted from 1. */
export function column(text: string, before: Columns = {}): Columns {
  const split = text.indexOf('=');
  const wanted = text.slice(0, Math.max(split, 0)).trim();
  const [field] = Object.entries(FIELDS).find((names) => names.includes(wanted)) ?? [];
  if (!field) {
    const fields = Object.values(FIELDS);
    const meant = guess(similarTo(wanted, fields));
    throw new InvalidArgumentError(
      `It must be field=column, the field one of ${fields.join(', ')}.${meant && ` ${meant}`}`,
    );
  }
  const value = text.slice(split + 1).trim();
  return { ...before, [field]: /^[1-9]\d{0,3}$/.test(value) ? Number(value) : value };
}
