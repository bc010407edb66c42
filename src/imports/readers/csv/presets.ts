import type { DateOrder } from '#src/imports/readers/parse-date.ts';
import type { CsvField, Preset } from '#src/imports/readers/statement.ts';

export interface PresetLayout {
  /** Headers, as headerKey gives them, that tell this export from all others. */
  required: string[];
  /** For each field the headers it may have, best first. */
  columns: Partial<Record<CsvField, string[]>>;
  dateOrder?: DateOrder;
  decimal?: '.' | ',';
}

export const PRESET_LAYOUTS: Record<Preset, PresetLayout> = {
  mint: {
    required: [
      'date',
      'description',
      'original description',
      'amount',
      'transaction type',
      'account name',
      'labels',
    ],
    columns: {
      date: ['date'],
      name: ['description'],
      amount: ['amount'],
      direction: ['transaction type'],
      category: ['category'],
      account: ['account name'],
      tags: ['labels'],
      notes: ['notes'],
    },
    dateOrder: 'MDY',
    decimal: '.',
  },
  ynab: {
    required: ['account', 'flag', 'date', 'payee', 'memo', 'outflow', 'inflow', 'cleared'],
    columns: {
      date: ['date'],
      name: ['payee'],
      outflow: ['outflow'],
      inflow: ['inflow'],
      // YNAB 4 has Category = "Master: Sub", Master Category and Sub Category.
      category: ['sub category', 'category', 'category group category'],
      account: ['account'],
      notes: ['memo'],
    },
  },
  actual: {
    required: ['account', 'date', 'payee', 'notes', 'amount', 'cleared'],
    columns: {
      date: ['date'],
      name: ['payee'],
      amount: ['amount'],
      category: ['category', 'category group category'],
      account: ['account'],
      notes: ['notes'],
    },
    dateOrder: 'YMD',
    decimal: '.',
  },
  firefly: {
    required: [
      'group id',
      'journal id',
      'type',
      'amount',
      'currency code',
      'description',
      'date',
      'source name',
      'source type',
      'destination name',
      'destination type',
    ],
    columns: {
      date: ['date'],
      name: ['description'],
      amount: ['amount'],
      currency: ['currency code'],
      externalId: ['journal id'],
      category: ['category'],
      tags: ['tags'],
      notes: ['notes'],
    },
    dateOrder: 'YMD',
    decimal: '.',
  },
};
