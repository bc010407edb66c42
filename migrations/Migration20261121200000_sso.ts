import { Migration } from '@mikro-orm/migrations';

/**
 * Signing in elsewhere: identity providers, who people are there, sign-ins under way, and what must not be used twice.
 * Providers may come from a file instead, so nothing refers to `sso_providers` by foreign key.
 */
export class Migration20261121200000_sso extends Migration {
  override up(): void {
    this.addSql(PROVIDERS);
    this.addSql(IDENTITIES);
    this.addSql(UNDER_WAY);
  }

  override down(): void {
    this.addSql(`
      alter table families drop column founder_id;
      alter table users drop column profile;
      alter table sessions drop column identity_id, drop column idp_session_id, drop column idp_logout;
      drop table used_assertions, pending_logins, blocked_identities, identities, sso_providers;
    `);
  }
}

const PROVIDERS = `
create table sso_providers (
  id text primary key check (id ~ '^[a-z][a-z0-9_-]{0,62}$'),
  name text not null unique
    check (name ~ '^[a-z][a-z0-9_-]{0,62}$' and name not in ('saml', 'logout', 'failure')),
  strategy text not null check (strategy in ('openid_connect', 'oauth2', 'saml')),
  label text not null,
  enabled boolean not null,
  settings jsonb not null check (jsonb_typeof(settings) = 'object'),
  secrets jsonb not null check (jsonb_typeof(secrets) = 'object'),
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
comment on column sso_providers.secrets is 'name of the secret -> its value, each encrypted by itself';
`;

const IDENTITIES = `
create table identities (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  provider text not null,
  subject text not null check (char_length(subject) between 1 and 1024),
  issuer text,
  email text,
  groups jsonb not null check (jsonb_typeof(groups) = 'array'),
  attributes jsonb not null check (jsonb_typeof(attributes) = 'object'),
  refresh_token text,
  id_token text,
  created_at timestamptz not null,
  last_used_at timestamptz,
  unique (provider, subject)
);
create index on identities (user_id);
comment on column identities.provider is 'id of the provider, which never changes; not its name';

create table blocked_identities (
  provider text not null,
  subject text not null,
  email text,
  created_at timestamptz not null,
  primary key (provider, subject)
);

alter table families add column founder_id uuid;

alter table users add column profile jsonb not null default '{}' check (jsonb_typeof(profile) = 'object');

alter table sessions
  add column identity_id uuid references identities (id) on delete set null,
  add column idp_session_id text,
  add column idp_logout boolean not null default false;
create index on sessions (identity_id) where identity_id is not null;
create index on sessions (provider, idp_session_id) where idp_session_id is not null;
`;

const UNDER_WAY = `
create table pending_logins (
  digest bytea primary key check (octet_length(digest) = 32),
  provider text not null,
  purpose text not null check (purpose in ('login', 'link', 'try', 'confirm')),
  user_id uuid references users (id) on delete cascade,
  browser_digest bytea not null check (octet_length(browser_digest) = 32),
  secrets jsonb not null check (jsonb_typeof(secrets) = 'object'),
  return_to text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index on pending_logins (expires_at);
comment on column pending_logins.secrets is
  'nonce and code verifier, unencrypted: minutes old, used once, and worth nothing without state and browser, of which only digests are kept';

create table used_assertions (
  provider text not null,
  assertion_id text not null,
  expires_at timestamptz not null,
  primary key (provider, assertion_id)
);
create index on used_assertions (expires_at);
`;
