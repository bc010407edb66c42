import {
  type Data,
  readAmount,
  readChoice,
  readDay,
  readId,
  readIds,
  readLines,
  readOptionalId,
  readOptionalText,
  readText,
  says,
} from '#src/family-data/read-fields.ts';
import { isObject } from '#src/family-data/read-records.ts';
import { invalid } from '#src/kernel/errors.ts';
import { requireCurrency } from '#src/ledger/money.ts';
import { TRANSACTION_KINDS } from '#src/ledger/transaction-kinds.ts';

const LONGEST_NAME = 500;
const LONGEST_NOTES = 10_000;
const LONGEST_ID = 1_000;
const MOST_PARTS = 500;
/** Of transactions that do not say where they came from. */
const SOURCE = 'sure';

type TransactionRow = ReturnType<typeof parseWhole>;

/**
 * Rows of `staged_transactions`: one, or the parts of a transaction that was split. Of a split one the parts are what
 * counts, and what transfers refer to; the whole itself would count twice.
 */
export function parseTransaction(data: Data): TransactionRow[] {
  const whole = parseWhole(data);
  if (!says(data, 'split_lines')) return [whole];
  const { split_lines: lines } = data;
  if (!Array.isArray(lines)) throw invalid(['split_lines is no list']);
  if (lines.length === 0) return [whole];
  // Each of them may have all the tags of the whole.
  if (lines.length > MOST_PARTS) throw invalid([`split_lines has more than ${MOST_PARTS} parts`]);

  const parts = lines.map((line: unknown) => parsePart(line, whole));
  const sum = parts.reduce((total, part) => total + part.amount_cents, 0);
  if (sum !== whole.amount_cents) throw invalid(['split_lines do not add up to the amount']);
  if (parts.some(({ currency }) => currency !== whole.currency)) {
    throw invalid(['split_lines are in another currency']);
  }
  return parts;
}

function parseWhole(data: Data) {
  const source = readOptionalText(data, 'source', LONGEST_NAME) ?? SOURCE;
  if (!/^[a-z][a-z0-9_]{0,31}$/.test(source)) {
    throw invalid(['source is not a word of lower-case letters, digits and _']);
  }
  return {
    ...readDetail(data),
    account_id: readId(data, 'account_id', 'account'),
    date: readDay(data, 'date'),
    source,
    external_id: readOptionalText(data, 'external_id', LONGEST_ID),
    content_hash: readOptionalText(data, 'content_hash', LONGEST_NAME),
  };
}

function parsePart(line: unknown, whole: TransactionRow): TransactionRow {
  if (!isObject(line)) throw invalid(['split_lines holds something that is no object']);
  const { account_id, date, source, currency, name, tag_ids } = whole;
  const said = Object.fromEntries(Object.entries(line).filter(([, value]) => value !== null));
  const part = readDetail({ currency, name, ...said });
  const tags = says(line, 'tag_ids') ? part.tag_ids : tag_ids;
  return { ...part, account_id, date, source, tag_ids: tags, external_id: null, content_hash: null };
}

function readDetail(data: Data) {
  const id = readId(data, 'id', 'transaction');
  const currency = requireCurrency(readText(data, 'currency', LONGEST_NAME));
  const { minorUnits, rounded } = readAmount(data, 'amount', currency);
  return {
    id,
    entry_id: readOptionalId(data, 'entry_id', 'entry') ?? readId({ id }, 'id', 'entry'),
    amount_cents: minorUnits,
    rounded,
    currency,
    name: readText(data, 'name', LONGEST_NAME),
    notes: readLines(data, 'notes', LONGEST_NOTES),
    kind: readChoice(data, 'kind', TRANSACTION_KINDS) ?? 'standard',
    category_id: readOptionalId(data, 'category_id', 'category'),
    merchant_id: readOptionalId(data, 'merchant_id', 'merchant'),
    tag_ids: readIds(data, 'tag_ids', 'tag'),
  };
}
