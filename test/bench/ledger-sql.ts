/** An id in the order of `n`, as UUIDv7 would be; `kind` keeps tables apart. Needs nothing beyond PostgreSQL 15. */
export const ID_FUNCTION = `
create function pg_temp.bench_id(kind text, n bigint) returns uuid language sql immutable as $$
  select (lpad(to_hex(1700000000000 + n), 12, '0') || '7' || substr(h, 1, 3) || '8' || substr(h, 4, 15))::uuid
  from md5(kind || n) h
$$`;

/** $1: families around the big one (number 0). Each has a user with a key, and accounts, categories, merchants and tags. */
export const PEOPLE = [
  `insert into families (id, name, currency, transfer_matching, demo, created_at, updated_at)
   select pg_temp.bench_id('family', f), 'Family ' || f, 'USD', true, false, now(), now()
   from generate_series(0, $1::int) f`,
  `insert into users (id, family_id, email, role, created_at, updated_at)
   select pg_temp.bench_id('user', f), pg_temp.bench_id('family', f), 'user' || f || '@example.com', 'admin', now(), now()
   from generate_series(0, $1::int) f`,
  `insert into api_keys (id, user_id, name, scope, digest, first_characters, last_characters, created_at)
   select pg_temp.bench_id('key', f), pg_temp.bench_id('user', f), 'phone', 'read', sha256(f::text::bytea), 'fin_', 'xxxx', now()
   from generate_series(0, $1::int) f`,
  `insert into accounts (family_id, id, name, account_type, currency, status, created_at, updated_at)
   select pg_temp.bench_id('family', f), pg_temp.bench_id('account', f * 100 + a), 'Account ' || a,
     (array['depository', 'credit_card', 'loan', 'investment'])[1 + a % 4], 'USD', 'active', now(), now()
   from generate_series(0, $1::int) f, generate_series(0, 11) a`,
  `insert into categories (family_id, id, name, color, icon, created_at, updated_at)
   select pg_temp.bench_id('family', f), pg_temp.bench_id('category', f * 100 + c), 'Category ' || c, '#6172F3', 'shapes', now(), now()
   from generate_series(0, $1::int) f, generate_series(0, 19) c`,
  `insert into merchants (family_id, id, name, created_at, updated_at)
   select pg_temp.bench_id('family', f), pg_temp.bench_id('merchant', f * 100 + m), 'Merchant ' || m, now(), now()
   from generate_series(0, $1::int) f, generate_series(0, 29) m`,
  `insert into tags (family_id, id, name, color, created_at, updated_at)
   select pg_temp.bench_id('family', f), pg_temp.bench_id('tag', f * 100 + g), 'Tag ' || g, '#e99537', now(), now()
   from generate_series(0, $1::int) f, generate_series(0, 9) g`,
];

/**
 * $1: families around; $2: how many times larger than the small ledger.
 * A couple is an outflow and an inflow of the same amount in two accounts. The big family has 4,000 couples times $2,
 * each other one 50. Every $2-th couple of the big family is the small ledger's: it carries the rejected pairs.
 */
const DRAFTS = `
create temporary table drafts as
select f, c, side, f::bigint * 100000000 + c * 2 + side as n,
  pg_temp.bench_id('family', f) as family_id,
  case when f = 0 then (c / spread + side * 6) % 12 else (c + side * 6) % 12 end as account,
  date '2021-01-01' + (c * 1800 / couples)::int as date,
  (case side when 0 then 1 else -1 end) * (100 + (c / (4 * spread)) * 7919 % 500000) as amount_cents
from (
  select 0 as f, $2::bigint as spread, 4000 * $2::bigint as couples
  union all select f, 1, 50 from generate_series(1, $1::int) f
) family
cross join lateral generate_series(0, couples - 1) c
cross join generate_series(0, 1) side`;

const ENTRIES = `
insert into entries (family_id, id, account_id, date, amount_cents, currency, name, notes, source, external_id)
select family_id, pg_temp.bench_id('entry', n), pg_temp.bench_id('account', f * 100 + account), date, amount_cents, 'USD',
  (array['Transfer', 'Grocery store', 'Coffee', 'Rent', 'Salary', 'Insurance'])[1 + (n / 2) % 6] || ' ' || n % 997,
  case when n % 5 = 0 then 'Note ' || n end, 'csv', case when n % 2 = 0 then 'X' || n end
from drafts order by date, n`;

const TRANSACTIONS = `
insert into transactions (family_id, id, entry_id, kind, category_id, merchant_id, created_at, updated_at)
select family_id, pg_temp.bench_id('transaction', n), pg_temp.bench_id('entry', n), 'standard',
  case when n % 4 = 0 then pg_temp.bench_id('category', f * 100 + n / 4 % 20) end,
  case when n % 4 = 0 then pg_temp.bench_id('merchant', f * 100 + n / 4 % 30) end,
  now() - (n % 1000) * interval '1 minute', now()
from drafts order by date, n`;

const TAGS = `
insert into transaction_tags (family_id, transaction_id, tag_id)
select family_id, pg_temp.bench_id('transaction', n), pg_temp.bench_id('tag', f * 100 + (n / 4 + t) % 10)
from drafts cross join generate_series(0, 1) t where n % 4 = 0`;

/** Every fourth couple is a transfer, the four couples of a small-ledger block excepted: those are for PAIRS. */
const TRANSFERS = `
insert into transfers (family_id, id, inflow_transaction_id, outflow_transaction_id, status, inflow_kind_before,
  outflow_kind_before, created_at, updated_at)
select family_id, pg_temp.bench_id('transfer', n), pg_temp.bench_id('transaction', n + 1),
  pg_temp.bench_id('transaction', n), status, before, before, now(), now()
from drafts
  cross join lateral (select case when c % 3 = 0 then 'pending' else 'confirmed' end as status) s
  cross join lateral (select case when status = 'confirmed' then 'standard' end as before) b
where side = 0 and c % 4 = 3 and (f > 0 or c % $1::bigint <> 0)`;

/** $1: spread. Ten rejected pairs and a confirmed one among each four couples of the small ledger: 10,000 and 1,000. */
const PAIRS = `
create temporary table pairs as
select b * 11 + k as n, k = 10 as confirmed,
  pg_temp.bench_id('transaction', (4 * b + o) * $1::bigint * 2) as outflow_id,
  pg_temp.bench_id('transaction', (4 * b + i) * $1::bigint * 2 + 1) as inflow_id
from generate_series(0, 999) b cross join generate_series(0, 10) k
  cross join lateral (select case k when 10 then 3 else k % 4 end as o,
    case k when 10 then 2 else (k + k / 4) % 4 end as i) p`;

const CONFIRMED_PAIRS = `
insert into transfers (family_id, id, inflow_transaction_id, outflow_transaction_id, status, inflow_kind_before,
  outflow_kind_before, created_at, updated_at)
select pg_temp.bench_id('family', 0), pg_temp.bench_id('confirmed', n), inflow_id, outflow_id, 'confirmed', 'standard',
  'standard', now(), now()
from pairs where confirmed`;

const REJECTED_PAIRS = `
insert into rejected_transfers (family_id, id, inflow_transaction_id, outflow_transaction_id, created_at, updated_at)
select pg_temp.bench_id('family', 0), pg_temp.bench_id('rejected', n), inflow_id, outflow_id,
  timestamptz '2025-01-01' + n * interval '61.007 seconds', timestamptz '2025-01-01' + n * interval '61.007 seconds'
from pairs where not confirmed order by n`;

/** Four rejected pairs in each family around. */
const REJECTED_AROUND = `
insert into rejected_transfers (family_id, id, inflow_transaction_id, outflow_transaction_id, created_at, updated_at)
select family_id, pg_temp.bench_id('rejected', n), pg_temp.bench_id('transaction', n + 3), pg_temp.bench_id('transaction', n),
  timestamptz '2025-01-01' + n * interval '1 microsecond', timestamptz '2025-01-01'
from drafts where f > 0 and side = 0 and c < 8 and c % 4 < 2`;

export interface LedgerStep {
  text: string;
  values: (families: number, spread: number) => number[];
}

export const LEDGER: LedgerStep[] = [
  { text: DRAFTS, values: (families, spread) => [families, spread] },
  { text: ENTRIES, values: () => [] },
  { text: TRANSACTIONS, values: () => [] },
  { text: TAGS, values: () => [] },
  { text: 'analyze entries, transactions', values: () => [] },
  { text: TRANSFERS, values: (_, spread) => [spread] },
  { text: PAIRS, values: (_, spread) => [spread] },
  { text: CONFIRMED_PAIRS, values: () => [] },
  { text: REJECTED_PAIRS, values: () => [] },
  { text: REJECTED_AROUND, values: () => [] },
];
