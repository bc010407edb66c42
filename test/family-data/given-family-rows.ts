import fc from 'fast-check';
import { stripUnsafe } from '#src/kernel/safe-text.ts';
import { ACCOUNT_STATUSES, ACCOUNT_TYPES } from '#src/ledger/account-types.ts';
import { TRANSACTION_KINDS } from '#src/ledger/transaction-kinds.ts';
import type { Harness } from '#test/support/database.ts';

/** Currencies with 0, 2, 3 and 4 digits. */
const CURRENCIES = ['USD', 'EUR', 'JPY', 'KWD', 'CLF'];
const LARGEST = Number.MAX_SAFE_INTEGER;

type Row = Record<string, unknown>;

/** Rows of a family's ledger, by table, without the family's own id. */
export interface FamilyRows {
  currency: string;
  transferMatching: boolean;
  tables: Record<string, Row[]>;
}

const text = (maxLength: number) =>
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength })
    .filter((value) => value.isWellFormed() && value === stripUnsafe(value).trim() && value !== '');
const moment = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const times = { created_at: moment, updated_at: moment };
const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
const day = moment.map((value) => value.slice(0, 10));

const named = <Columns extends object>(columns: { [Key in keyof Columns]: fc.Arbitrary<Columns[Key]> }) =>
  fc.array(fc.record({ id: fc.uuid(), name: text(40), ...columns, ...times }), { maxLength: 4 });

/** Where a transaction belongs: indexes into the other lists. */
const place = fc.record({
  account: fc.nat(),
  category: fc.nat(),
  merchant: fc.nat(),
  tags: fc.array(fc.nat()),
});

const detail = fc.record({
  id: fc.uuid(),
  entry_id: fc.uuid(),
  date: day,
  name: text(120),
  notes: fc.option(fc.array(text(40), { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n'))),
  source: fc.constantFrom('csv', 'ofx', 'sure', 'manual'),
  external_id: fc.option(text(30)),
  content_hash: fc.option(fc.uuid()),
  kind: fc.constantFrom(...TRANSACTION_KINDS),
  place,
  ...times,
});

const pair = fc.record({
  id: fc.uuid(),
  status: fc.constantFrom('pending', 'confirmed', 'rejected'),
  inflow: detail,
  outflow: detail,
  amount: fc.integer({ min: 1, max: LARGEST }),
  arriving: fc.integer({ min: 1, max: LARGEST }),
  before: fc.tuple(fc.constantFrom(...TRANSACTION_KINDS), fc.constantFrom(...TRANSACTION_KINDS)),
  ...times,
});

const lists = fc.record({
  accounts: fc.array(
    fc.record({
      id: fc.uuid(),
      name: text(40),
      account_type: fc.constantFrom(...ACCOUNT_TYPES),
      currency: fc.constantFrom(...CURRENCIES),
      status: fc.constantFrom(...ACCOUNT_STATUSES),
      ...times,
    }),
    { minLength: 2, maxLength: 4 },
  ),
  categories: named({ color, icon: text(20) }),
  merchants: named({}),
  tags: named({ color }),
});

const contents = fc.record({
  currency: fc.constantFrom(...CURRENCIES),
  transferMatching: fc.boolean(),
  lists,
  single: fc.array(fc.record({ detail, amount: fc.integer({ min: -LARGEST, max: LARGEST }) }), {
    maxLength: 8,
  }),
  pairs: fc.array(pair, { maxLength: 5 }),
});

type ValueOf<Source> = Source extends fc.Arbitrary<infer Value> ? Value : never;
type Lists = ValueOf<typeof lists>;

/** Any family: names of every script, amounts up to the largest, pairs of each kind. */
export const anyFamily: fc.Arbitrary<FamilyRows> = contents.map(
  ({ currency, transferMatching, lists, single, pairs }) => {
    const placed = [
      ...single.map(({ detail, amount }) => ({
        detail,
        amount,
        account: pick(lists.accounts, detail.place.account),
      })),
      ...pairs.flatMap((pair) => sidesOf(lists, pair)),
    ];
    return {
      currency,
      transferMatching,
      tables: {
        accounts: numbered(lists.accounts),
        categories: numbered(lists.categories),
        merchants: numbered(lists.merchants),
        tags: numbered(lists.tags),
        entries: placed.map(toEntry),
        transactions: placed.map(({ detail }) => toTransaction(lists, detail)),
        transaction_tags: placed.flatMap(({ detail }) => toTags(lists, detail)),
        transfers: pairs.filter(({ status }) => status !== 'rejected').map(toTransfer),
        rejected_transfers: pairs.filter(({ status }) => status === 'rejected').map(toPair),
      },
    };
  },
);

interface Placed {
  detail: ValueOf<typeof detail>;
  amount: number;
  account: Lists['accounts'][number] | undefined;
}

/** Money goes from one account to another; what arrives in another currency is any amount. */
function sidesOf({ accounts }: Lists, { inflow, outflow, amount, arriving }: ValueOf<typeof pair>): Placed[] {
  const from = pick(accounts, outflow.place.account);
  const to = pick(accounts, outflow.place.account + 1);
  return [
    { detail: outflow, amount, account: from },
    { detail: inflow, amount: from?.currency === to?.currency ? -amount : -arriving, account: to },
  ];
}

function toEntry({ detail, amount, account }: Placed, index: number): Row {
  const { entry_id, date, name, notes, source, external_id, content_hash } = detail;
  return {
    id: entry_id,
    account_id: account?.id,
    date,
    amount_cents: amount,
    currency: account?.currency,
    name,
    notes,
    source,
    // Unique in an account.
    external_id: external_id && `${external_id}${index}`,
    content_hash,
  };
}

function toTransaction(lists: Lists, detail: Placed['detail']): Row {
  const { id, entry_id, kind, place, created_at, updated_at } = detail;
  const category_id = pick(lists.categories, place.category)?.id;
  const merchant_id = pick(lists.merchants, place.merchant)?.id;
  return { id, entry_id, kind, category_id, merchant_id, created_at, updated_at };
}

function toTags({ tags }: Lists, { id, place }: Placed['detail']): Row[] {
  const ids = new Set(place.tags.flatMap((tag) => pick(tags, tag)?.id ?? []));
  return [...ids].map((tag_id) => ({ transaction_id: id, tag_id }));
}

function toTransfer(row: ValueOf<typeof pair>): Row {
  const { status, before } = row;
  const [inflow_kind_before, outflow_kind_before] = status === 'confirmed' ? before : [null, null];
  return { ...toPair(row), status, inflow_kind_before, outflow_kind_before };
}

function toPair({ id, inflow, outflow, created_at, updated_at }: ValueOf<typeof pair>): Row {
  return { id, inflow_transaction_id: inflow.id, outflow_transaction_id: outflow.id, created_at, updated_at };
}

/** Names are unique in a family. */
function numbered(rows: readonly (Row & { name: string })[]): Row[] {
  return rows.map((row, index) => ({ ...row, name: `${row.name}${index}` }));
}

function pick<Item>(items: readonly Item[], index: number): Item | undefined {
  return items[index % (items.length || 1)];
}

const ORDER = [
  'accounts',
  'categories',
  'merchants',
  'tags',
  'entries',
  'transactions',
  'transaction_tags',
  'transfers',
  'rejected_transfers',
];

/** Every row of a family's ledger, by table; without what an import alone decides. */
export async function rowsOf({ runtime }: Harness, familyId: string): Promise<Record<string, unknown[]>> {
  const tables = ORDER.map(async (table) => {
    const { rows } = await runtime.pool.query<{ row: unknown }>(
      `select to_jsonb(t) - 'family_id' - 'import_id' as row from ${table} t where family_id = $1 order by 1`,
      [familyId],
    );
    return [table, rows.map(({ row }) => row)];
  });
  return Object.fromEntries(await Promise.all(tables));
}

/** Puts the rows into an empty family, past every operation. */
export async function givenRows(harness: Harness, familyId: string, rows: FamilyRows): Promise<void> {
  await harness.query('update families set currency = $2, transfer_matching = $3 where id = $1', [
    familyId,
    rows.currency,
    rows.transferMatching,
  ]);
  for (const table of ORDER) {
    const records = rows.tables[table]?.map((row) => ({ ...row, family_id: familyId }));
    await harness.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1)`, [
      JSON.stringify(records),
    ]);
  }
}
