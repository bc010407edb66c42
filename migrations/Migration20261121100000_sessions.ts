import { Migration } from '@mikro-orm/migrations';

/**
 * What lets people in: sessions, reset links, invitations, bearer tokens. Each secret is kept as its SHA-256 only.
 * Limits count from the first request of a window instead of the full minute.
 */
export class Migration20261121100000_sessions extends Migration {
  override up(): void {
    this.addSql(SIGN_IN);
    this.addSql(LIMITS);
  }

  override down(): void {
    this.addSql(`
      drop index audit_events_by_provider;
      drop table rate_limits, access_tokens, invitations, password_resets, sessions;
      create table rate_limits (
        key text not null,
        window_start timestamptz not null,
        count integer not null check (count > 0),
        primary key (key, window_start)
      );
    `);
  }
}

const SIGN_IN = `
create table sessions (
  id uuid primary key,
  digest bytea not null unique check (octet_length(digest) = 32),
  user_id uuid not null references users (id) on delete cascade,
  provider text,
  ip_address text,
  user_agent text check (char_length(user_agent) <= 500),
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null
);
create index on sessions (user_id);
create index on sessions (expires_at);

create table password_resets (
  digest bytea primary key check (octet_length(digest) = 32),
  user_id uuid not null references users (id) on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index on password_resets (user_id);

create table invitations (
  id uuid primary key,
  email text not null unique check (email = lower(email) and char_length(email) <= 254),
  family_id uuid not null references families (id) on delete cascade,
  role text not null check (role in ('member', 'admin', 'super_admin')),
  digest bytea not null unique check (octet_length(digest) = 32),
  invited_by uuid,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index on invitations (family_id);

create table access_tokens (
  digest bytea primary key check (octet_length(digest) = 32),
  api_key_id uuid not null references api_keys (id) on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index on access_tokens (api_key_id);

create index audit_events_by_provider on audit_events (provider, created_at desc, id desc)
  where provider is not null;
`;

const LIMITS = `
drop table rate_limits;
create table rate_limits (
  key text primary key,
  window_start timestamptz not null,
  window_end timestamptz not null,
  count integer not null check (count > 0),
  check (window_end > window_start)
);
create index on rate_limits (window_end);
`;
