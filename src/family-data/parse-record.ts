import { parsePair } from '#src/family-data/parse-pair.ts';
import { parseTransaction } from '#src/family-data/parse-transaction.ts';
import {
  type Data,
  readChoice,
  readId,
  readMoment,
  readOptionalId,
  readOptionalText,
  readText,
} from '#src/family-data/read-fields.ts';
import type { FamilyRecord } from '#src/family-data/read-records.ts';
import { ACCOUNTABLE_TYPES } from '#src/family-data/record-types.ts';
import type { StagedTable } from '#src/family-data/staged-tables.ts';
import { invalid } from '#src/kernel/errors.ts';
import { ACCOUNT_STATUSES } from '#src/ledger/account-types.ts';
import { requireCurrency } from '#src/ledger/money.ts';

export interface StagedRow {
  table: StagedTable;
  row: Record<string, unknown>;
}

const LONGEST_NAME = 200;

type Parse = (data: Data) => StagedRow[];

/** How each type of record is read. Throws `validation_failed` for a record that cannot be kept. */
const PARSERS: ReadonlyMap<string, Parse> = new Map<string, Parse>([
  ['Account', (data) => [{ table: 'accounts', row: parseAccount(data) }]],
  ['Category', (data) => [{ table: 'categories', row: parseCategory(data) }]],
  ['Tag', (data) => [{ table: 'tags', row: parseTag(data) }]],
  ['Merchant', (data) => [{ table: 'merchants', row: parseMerchant(data) }]],
  ['Transaction', (data) => parseTransaction(data).map((row) => ({ table: 'transactions', row }))],
  ['Transfer', (data) => [{ table: 'pairs', row: parsePair(data, 'transfer') }]],
  ['RejectedTransfer', (data) => [{ table: 'pairs', row: parsePair(data, 'rejected') }]],
]);

/** Rows for the staged tables; undefined for a type that is not kept. */
export function parseRecord({ line, type, data }: FamilyRecord): StagedRow[] | undefined {
  return PARSERS.get(type)?.(data).map(({ table, row }) => ({
    table,
    row: {
      line,
      ...row,
      created_at: readMoment(data, 'created_at'),
      updated_at: readMoment(data, 'updated_at') ?? readMoment(data, 'created_at'),
    },
  }));
}

function parseAccount(data: Data) {
  const type = readText(data, 'accountable_type', LONGEST_NAME);
  const accountType = ACCOUNTABLE_TYPES.get(type);
  if (!accountType) {
    throw invalid([`accountable_type is "${type}", not one of ${[...ACCOUNTABLE_TYPES.keys()].join(', ')}`]);
  }
  return {
    id: readId(data, 'id', 'account'),
    name: readText(data, 'name', LONGEST_NAME),
    account_type: accountType,
    currency: requireCurrency(readText(data, 'currency', LONGEST_NAME)),
    status: readChoice(data, 'status', ACCOUNT_STATUSES) ?? 'active',
  };
}

function parseCategory(data: Data) {
  return {
    id: readId(data, 'id', 'category'),
    name: readText(data, 'name', LONGEST_NAME),
    color: readColor(data) ?? '#6172F3',
    icon: readOptionalText(data, 'lucide_icon', LONGEST_NAME) ?? 'shapes',
    parent_id: readOptionalId(data, 'parent_id', 'category'),
  };
}

function parseTag(data: Data) {
  return {
    id: readId(data, 'id', 'tag'),
    name: readText(data, 'name', LONGEST_NAME),
    color: readColor(data) ?? '#e99537',
  };
}

function parseMerchant(data: Data) {
  return { id: readId(data, 'id', 'merchant'), name: readText(data, 'name', LONGEST_NAME) };
}

function readColor(data: Data): string | null {
  const color = readOptionalText(data, 'color', LONGEST_NAME);
  if (color === null || /^#[0-9a-f]{6}$/i.test(color)) return color;
  throw invalid(['color is not written like #6172F3']);
}
