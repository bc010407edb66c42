import { Migration } from '@mikro-orm/migrations';

/**
 * Families, their people and keys, and the ledger.
 *
 * Everything a family owns has the primary key (family_id, id) and refers to the rest by (family_id, …_id):
 * no row can point into another family, hot queries need no join to find the family, and the tables can be
 * distributed by it. Amounts are integers of minor units, positive when money leaves the account.
 */
export class Migration20261120000000_ledger extends Migration {
  override up(): void {
    this.addSql(PEOPLE);
    this.addSql(LEDGER);
    this.addSql(TRANSFERS);
    this.addSql(PAIR_TRIGGERS);
    this.addSql(COUNTER_TRIGGERS);
  }

  override down(): void {
    this.addSql(`
      drop table rejected_transfers, transfers, transaction_tags, transactions, entries, imports,
        tags, merchants, categories, accounts, rate_limits, api_keys, users, families;
      drop function check_pair, refresh_pairs, count_rejected_transfers;
    `);
  }
}

const PEOPLE = `
create table families (
  id uuid primary key,
  name text not null check (char_length(name) between 1 and 200),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  transfer_matching boolean not null,
  demo boolean not null,
  rejected_transfers_count integer not null default 0 check (rejected_transfers_count >= 0),
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table users (
  id uuid primary key,
  family_id uuid not null references families (id) on delete cascade,
  email text not null unique check (email = lower(email) and char_length(email) <= 254),
  first_name text check (char_length(first_name) <= 100),
  last_name text check (char_length(last_name) <= 100),
  role text not null check (role in ('member', 'admin', 'super_admin')),
  password_digest text,
  suspended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index on users (family_id);

create table api_keys (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  name text not null check (char_length(name) between 1 and 100),
  scope text not null check (scope in ('read', 'read_write')),
  digest bytea not null unique check (octet_length(digest) = 32),
  first_characters text not null,
  last_characters text not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null
);
create unique index api_keys_active_name on api_keys (user_id, name) where revoked_at is null;

create table rate_limits (
  key text not null,
  window_start timestamptz not null,
  count integer not null check (count > 0),
  primary key (key, window_start)
);
`;

const LEDGER = `
create table accounts (
  family_id uuid not null references families (id) on delete cascade,
  id uuid not null,
  name text not null check (char_length(name) between 1 and 200),
  account_type text not null check (account_type in ('depository', 'investment', 'crypto', 'property', 'vehicle',
    'other_asset', 'credit_card', 'loan', 'other_liability')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  status text not null check (status in ('draft', 'active', 'disabled', 'pending_deletion')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (family_id, id),
  unique (family_id, name)
);

create table categories (
  family_id uuid not null references families (id) on delete cascade,
  id uuid not null,
  name text not null check (char_length(name) between 1 and 200),
  color text not null check (color ~ '^#[0-9A-Fa-f]{6}$'),
  icon text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (family_id, id),
  unique (family_id, name)
);

create table merchants (
  family_id uuid not null references families (id) on delete cascade,
  id uuid not null,
  name text not null check (char_length(name) between 1 and 200),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (family_id, id),
  unique (family_id, name)
);

create table tags (
  family_id uuid not null references families (id) on delete cascade,
  id uuid not null,
  name text not null check (char_length(name) between 1 and 200),
  color text not null check (color ~ '^#[0-9A-Fa-f]{6}$'),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (family_id, id),
  unique (family_id, name)
);

create table imports (
  family_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  file_name text not null,
  source text not null,
  imported_count integer not null check (imported_count >= 0),
  duplicate_count integer not null check (duplicate_count >= 0),
  rejected_count integer not null check (rejected_count >= 0),
  undone_at timestamptz,
  created_at timestamptz not null,
  primary key (family_id, id),
  foreign key (family_id, account_id) references accounts (family_id, id) on delete cascade
);

create table entries (
  family_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  date date not null,
  amount_cents bigint not null check (amount_cents between -9007199254740991 and 9007199254740991),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  name text not null check (char_length(name) between 1 and 500),
  notes text,
  source text not null check (source ~ '^[a-z][a-z0-9_]{0,31}$'),
  external_id text,
  content_hash text,
  import_id uuid,
  primary key (family_id, id),
  foreign key (family_id, account_id) references accounts (family_id, id) on delete cascade,
  foreign key (family_id, import_id) references imports (family_id, id)
);
create unique index entries_external_id on entries (family_id, account_id, source, external_id)
  where external_id is not null;
create unique index entries_content_hash on entries (family_id, account_id, content_hash)
  where content_hash is not null;
create index entries_by_date on entries (family_id, date desc, id desc) include (account_id);
create index entries_by_account on entries (family_id, account_id, date desc, id desc);
create index entries_by_amount on entries (family_id, amount_cents, date) include (account_id, currency, id);

create table transactions (
  family_id uuid not null,
  id uuid not null,
  entry_id uuid not null,
  kind text not null check (kind in ('standard', 'funds_movement', 'cc_payment', 'loan_payment', 'one_time',
    'investment_contribution')),
  category_id uuid,
  merchant_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (family_id, id),
  unique (family_id, entry_id),
  foreign key (family_id, entry_id) references entries (family_id, id) on delete cascade,
  foreign key (family_id, category_id) references categories (family_id, id) on delete set null (category_id),
  foreign key (family_id, merchant_id) references merchants (family_id, id) on delete set null (merchant_id)
);

create table transaction_tags (
  family_id uuid not null,
  transaction_id uuid not null,
  tag_id uuid not null,
  primary key (family_id, transaction_id, tag_id),
  foreign key (family_id, transaction_id) references transactions (family_id, id) on delete cascade,
  foreign key (family_id, tag_id) references tags (family_id, id) on delete cascade
);
`;

const TRANSFERS = `
create table transfers (
  family_id uuid not null,
  id uuid not null,
  inflow_transaction_id uuid not null,
  outflow_transaction_id uuid not null,
  status text not null check (status in ('pending', 'confirmed')),
  inflow_kind_before text,
  outflow_kind_before text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (family_id, id),
  unique (family_id, inflow_transaction_id, outflow_transaction_id),
  foreign key (family_id, inflow_transaction_id) references transactions (family_id, id) on delete cascade,
  foreign key (family_id, outflow_transaction_id) references transactions (family_id, id) on delete cascade,
  check ((status = 'confirmed') = (inflow_kind_before is not null and outflow_kind_before is not null))
);
create index transfers_outflow on transfers (family_id, outflow_transaction_id);
create unique index transfers_confirmed_inflow on transfers (family_id, inflow_transaction_id)
  where status = 'confirmed';
create unique index transfers_confirmed_outflow on transfers (family_id, outflow_transaction_id)
  where status = 'confirmed';

create table rejected_transfers (
  family_id uuid not null,
  id uuid not null,
  inflow_transaction_id uuid not null,
  outflow_transaction_id uuid not null,
  inflow_account_id uuid not null,
  outflow_account_id uuid not null,
  inflow_date date not null,
  outflow_date date not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (family_id, id),
  unique (family_id, inflow_transaction_id, outflow_transaction_id),
  foreign key (family_id, inflow_transaction_id) references transactions (family_id, id) on delete cascade,
  foreign key (family_id, outflow_transaction_id) references transactions (family_id, id) on delete cascade
);
create index rejected_transfers_outflow on rejected_transfers (family_id, outflow_transaction_id);
create index rejected_transfers_newest on rejected_transfers (family_id, created_at desc, id desc)
  include (inflow_date, outflow_date);
create index rejected_transfers_inflow_account
  on rejected_transfers (family_id, inflow_account_id, created_at desc, id desc) include (inflow_date, outflow_date);
create index rejected_transfers_outflow_account
  on rejected_transfers (family_id, outflow_account_id, created_at desc, id desc) include (inflow_date, outflow_date);
`;

/**
 * A pair (pending, confirmed or rejected) joins an inflow and an outflow of two accounts, and is never both a
 * transfer and rejected. Accounts and dates of a rejected pair are copied here, so that the list can filter
 * without joins; both triggers keep the copies true.
 */
const PAIR_TRIGGERS = `
create function check_pair() returns trigger language plpgsql as $$
declare
  inflow_entry uuid;
  outflow_entry uuid;
  inflow record;
  outflow record;
  opposite text := case tg_table_name when 'transfers' then 'rejected_transfers' else 'transfers' end;
  taken boolean;
begin
  select entry_id into inflow_entry from transactions
    where family_id = new.family_id and id = new.inflow_transaction_id;
  select entry_id into outflow_entry from transactions
    where family_id = new.family_id and id = new.outflow_transaction_id;
  if inflow_entry is null or outflow_entry is null then
    raise exception 'a side is not in this family' using errcode = 'foreign_key_violation';
  end if;
  -- Both sides are locked in one order: two decisions about the same pair cannot pass each other.
  perform 1 from entries where family_id = new.family_id and id in (inflow_entry, outflow_entry)
    order by id for update;
  select account_id, date, amount_cents, currency into inflow from entries
    where family_id = new.family_id and id = inflow_entry;
  select account_id, date, amount_cents, currency into outflow from entries
    where family_id = new.family_id and id = outflow_entry;

  if inflow.account_id = outflow.account_id then
    raise exception 'both sides are in one account' using errcode = 'check_violation', constraint = 'pair_accounts';
  end if;
  if inflow.amount_cents >= 0 or outflow.amount_cents <= 0 then
    raise exception 'one side must enter and one must leave' using errcode = 'check_violation', constraint = 'pair_signs';
  end if;
  if inflow.currency = outflow.currency and inflow.amount_cents + outflow.amount_cents <> 0 then
    raise exception 'the amounts differ' using errcode = 'check_violation', constraint = 'pair_amounts';
  end if;

  execute format('select exists (select 1 from %I where family_id = $1 and inflow_transaction_id = $2
    and outflow_transaction_id = $3)', opposite)
    into taken using new.family_id, new.inflow_transaction_id, new.outflow_transaction_id;
  if taken then
    raise exception 'the pair is in %', opposite using errcode = 'check_violation', constraint = 'pair_exclusive';
  end if;

  if tg_table_name = 'rejected_transfers' then
    new.inflow_account_id := inflow.account_id;
    new.outflow_account_id := outflow.account_id;
    new.inflow_date := inflow.date;
    new.outflow_date := outflow.date;
  end if;
  return new;
end $$;

create trigger check_pair before insert or update on transfers for each row execute function check_pair();
create trigger check_pair before insert or update on rejected_transfers for each row execute function check_pair();

create function refresh_pairs() returns trigger language plpgsql as $$
begin
  update transfers r set status = r.status from transactions t
    where t.family_id = new.family_id and t.entry_id = new.id and r.family_id = new.family_id
      and (r.inflow_transaction_id = t.id or r.outflow_transaction_id = t.id);
  update rejected_transfers r set inflow_date = r.inflow_date from transactions t
    where t.family_id = new.family_id and t.entry_id = new.id and r.family_id = new.family_id
      and (r.inflow_transaction_id = t.id or r.outflow_transaction_id = t.id);
  return null;
end $$;

create trigger refresh_pairs after update of account_id, date, amount_cents, currency on entries
  for each row execute function refresh_pairs();
`;

/** The total of the unfiltered list, kept by the database itself through every insert, delete and cascade. */
const COUNTER_TRIGGERS = `
create function count_rejected_transfers() returns trigger language plpgsql as $$
begin
  update families f
    set rejected_transfers_count = f.rejected_transfers_count + case tg_op when 'INSERT' then c.rows else - c.rows end
    from (select family_id, count(*)::integer as rows from changed group by family_id) c
    where f.id = c.family_id;
  return null;
end $$;

create trigger count_inserted after insert on rejected_transfers
  referencing new table as changed for each statement execute function count_rejected_transfers();
create trigger count_deleted after delete on rejected_transfers
  referencing old table as changed for each statement execute function count_rejected_transfers();
`;
