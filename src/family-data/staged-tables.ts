const TIMES = 'created_at timestamptz, updated_at timestamptz';

/** The temporary tables that hold what a file says, by the names of their columns. */
const COLUMNS = {
  accounts: `line integer, id uuid, name text, account_type text, currency text, status text, ${TIMES}`,
  categories: `line integer, id uuid, name text, color text, icon text, parent_id uuid, ${TIMES}`,
  tags: `line integer, id uuid, name text, color text, ${TIMES}`,
  merchants: `line integer, id uuid, name text, ${TIMES}`,
  transactions: `line integer, id uuid, entry_id uuid, account_id uuid, date date, amount_cents bigint, currency text,
    name text, notes text, kind text, category_id uuid, merchant_id uuid, tag_ids uuid[], source text,
    external_id text, content_hash text, ${TIMES}`,
  pairs: `line integer, id uuid, inflow_id uuid, outflow_id uuid, status text, inflow_kind_before text,
    outflow_kind_before text, kinds_known boolean, ${TIMES}`,
} as const;

export type StagedTable = keyof typeof COLUMNS;

/**
 * Beside what the file says: what becomes of a record (`fate`), why (`reason`), and which row of the ledger stands for
 * it from now on (`target`). A record without a fate is still to be decided on.
 */
const DECIDED = 'fate text, reason text, target uuid';

export const CREATE_STAGED: readonly string[] = Object.entries(COLUMNS).map(
  ([table, columns]) => `create temporary table staged_${table} (${columns}, ${DECIDED}) on commit drop`,
);

/** `$1` is a JSON array of rows. */
export const FILL_STAGED: Readonly<Record<StagedTable, string>> = {
  accounts: fill('accounts'),
  categories: fill('categories'),
  tags: fill('tags'),
  merchants: fill('merchants'),
  transactions: fill('transactions'),
  pairs: fill('pairs'),
};

/** The planner knows nothing of a new table; what follows joins them with big ones. */
export const INDEX_STAGED: readonly string[] = [
  ...Object.keys(COLUMNS).map((table) => `create index on staged_${table} (id)`),
  'create index on staged_categories (parent_id)',
  `analyze ${Object.keys(COLUMNS)
    .map((table) => `staged_${table}`)
    .join(', ')}`,
];

function fill(table: StagedTable): string {
  const columns = COLUMNS[table];
  const names = [...columns.matchAll(/(?:^|,\s*)(\w+) /g)].map(([, name]) => name);
  return `insert into staged_${table} (${names.join(', ')})
    select * from json_to_recordset($1::json) as row (${columns})`;
}
