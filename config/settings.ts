import { HTTP_SETTINGS } from '#config/http-settings.ts';
import {
  archiveUrl,
  bool,
  domainList,
  keyList,
  keyText,
  mailbox,
  oneOf,
  providerSource,
  SHORTEST_KEY,
  SHORTEST_SECRET,
  secretList,
  secretText,
  text,
  url,
  whole,
} from '#config/parsers.ts';
import type { Setting } from '#config/setting.ts';
import type { SettingValues } from '#config/setting-values.ts';
import { JIT_MODES, LOG_LEVELS } from '#src/kernel/config.ts';

export type { Setting } from '#config/setting.ts';

/** Every environment variable the service reads. */
export const SETTINGS: { readonly [N in keyof SettingValues]: Setting<SettingValues[N]> } = {
  DATABASE_URL: {
    parse: url(/^postgres(ql)?:$/),
    expects: 'a postgres:// URL',
    about: 'PostgreSQL 15 or later; unset: the embedded database under DATA_DIR',
    secret: true,
  },
  MIGRATION_DATABASE_URL: {
    parse: url(/^postgres(ql)?:$/),
    expects: 'a postgres:// URL',
    about: 'direct connection for migrations when DATABASE_URL leads through a pooler',
    secret: true,
  },
  DATABASE_POOL_SIZE: {
    parse: whole(1, 100),
    expects: 'a whole number from 1 to 100',
    about: 'connections per process; default 8',
  },
  DATABASE_NAMED_STATEMENTS: {
    parse: bool,
    expects: 'true or false',
    about: 'false for poolers without prepared statements (PgBouncer before 1.21); default true',
  },
  DATA_DIR: {
    parse: text,
    expects: 'a folder',
    about: 'the embedded database and its password; default .data in the checkout',
  },
  EMBEDDED_DATABASE_PORT: {
    parse: whole(1, 65_535),
    expects: 'a port from 1 to 65535',
    about: 'loopback port of the embedded database; default: a free one, kept from then on',
  },
  ...HTTP_SETTINGS,
  SECRET_KEY_BASE: {
    parse: secretText,
    expects: `at least ${SHORTEST_SECRET} characters, random`,
    about:
      'what every other secret is derived from; with the embedded database made once and kept in DATA_DIR',
    secret: true,
  },
  SESSION_SECRETS: {
    parse: secretList,
    expects: `a comma-separated list of secrets of at least ${SHORTEST_SECRET} characters`,
    about: 'sign the session cookie: the first signs, all verify; default: derived from SECRET_KEY_BASE',
    secret: true,
  },
  SESSION_IDLE_MINUTES: {
    parse: whole(5, 43_200),
    expects: 'a whole number from 5 to 43200',
    about: 'a session that is not used this long ends; default 720',
  },
  SESSION_LIFETIME_HOURS: {
    parse: whole(1, 8_760),
    expects: 'a whole number from 1 to 8760',
    about: 'a session ends after this long whatever happens; default 168',
  },
  AUTH_LOCAL_LOGIN_ENABLED: {
    parse: bool,
    expects: 'true or false',
    about: 'false: nobody signs in with a password, and passwords cannot be reset; default true',
  },
  AUTH_LOCAL_ADMIN_OVERRIDE_ENABLED: {
    parse: bool,
    expects: 'true or false',
    about: 'true: super admins sign in with a password although local login is off; default false',
  },
  AUTH_AUTO_REDIRECT: {
    parse: bool,
    expects: 'true or false',
    about:
      'true: with local login off and one identity provider, the sign-in page leads there at once, but for /sessions/new?local=1; default false',
  },
  DEFAULT_CURRENCY: {
    parse: (value) => (/^[A-Za-z]{3}$/.test(value) ? value.toUpperCase() : undefined),
    expects: 'an ISO 4217 code such as EUR',
    about: 'currency of the family that a first sign-in through an identity provider founds; default USD',
  },
  AUTH_JIT_MODE: {
    parse: oneOf(JIT_MODES),
    expects: JIT_MODES.join(' or '),
    about:
      'whether a first sign-in through an identity provider makes an account, or only links to one; default create_and_link',
  },
  ALLOWED_OIDC_DOMAINS: {
    parse: domainList,
    expects: 'a comma-separated list of domains such as example.com (no *, no @)',
    about:
      'identity providers make accounts for addresses of these domains only; default: of every verified address',
  },
  AUTH_PROVIDERS_SOURCE: {
    parse: providerSource,
    expects: 'yaml, db or database',
    about:
      'where identity providers come from: AUTH_PROVIDERS_FILE, read at the start, or the database; default yaml',
  },
  AUTH_PROVIDERS_FILE: {
    parse: text,
    expects: 'a file',
    about: 'the identity providers while AUTH_PROVIDERS_SOURCE is yaml; default config/auth.yml',
  },
  SSO_ALLOW_PRIVATE_NETWORKS: {
    parse: bool,
    expects: 'true or false',
    about:
      'identity providers at private addresses: true always, false never; default: only those whose own URLs say so',
  },
  SSL_CA_FILE: {
    parse: text,
    expects: 'a file',
    about:
      'PEM certificates of authorities to trust, beside the usual ones, by identity providers, mail and archives',
  },
  ACTIVE_RECORD_ENCRYPTION_PRIMARY_KEY: {
    parse: keyList,
    expects: `a comma-separated list of keys of at least ${SHORTEST_KEY} characters`,
    about:
      'encrypts stored secrets: the first key encrypts, all decrypt; default: derived from SECRET_KEY_BASE. financectl keys generate makes one',
    secret: true,
  },
  ACTIVE_RECORD_ENCRYPTION_DETERMINISTIC_KEY: {
    parse: keyText,
    expects: `at least ${SHORTEST_KEY} characters, random`,
    about: 'belongs to the one before; nothing is encrypted with it today',
    secret: true,
  },
  ACTIVE_RECORD_ENCRYPTION_KEY_DERIVATION_SALT: {
    parse: keyText,
    expects: `at least ${SHORTEST_KEY} characters, random`,
    about: 'belongs to the two before; must stay the same as long as anything is encrypted',
    secret: true,
  },
  SMTP_URL: {
    parse: url(/^smtps?:$/),
    expects: 'an smtp:// or smtps:// URL',
    about: 'the mail server for reset links and invitations; unset: financectl prints them',
    secret: true,
  },
  MAIL_FROM: {
    parse: mailbox,
    expects: 'a mail address, or "Name <address>"',
    about: 'the sender of mail; needed with SMTP_URL',
  },
  AUDIT_RETENTION: {
    parse: oneOf(['standard', 'extended', 'compliance']),
    expects: 'standard, extended or compliance',
    about:
      'how long the audit log is kept: 90 days in the database; 1 year, archived after 90 days; 7 years, the last 6 in the archive alone; default standard',
  },
  AUDIT_ARCHIVE_URL: {
    parse: archiveUrl,
    expects:
      'an absolute folder, its file:/// URL, or s3://BUCKET/PREFIX (BUCKET: 3 to 63 lower-case letters, digits, dots and hyphens)',
    about:
      'where archives of the audit log are kept, the same for all processes; default audit-archive in DATA_DIR, with DATABASE_URL none',
  },
  AUDIT_ARCHIVE_S3_ENDPOINT: {
    parse: url(/^https?:$/),
    expects: 'an http:// or https:// URL',
    about: 'the S3-compatible store of AUDIT_ARCHIVE_URL; default: that of AWS',
  },
  AUDIT_ARCHIVE_S3_REGION: {
    parse: text,
    expects: 'a region',
    about: 'default: what the environment tells the AWS SDK, else us-east-1',
  },
  AUDIT_ARCHIVE_S3_PATH_STYLE: {
    parse: bool,
    expects: 'true or false',
    about: 'true: the bucket is named in the path, as most other stores than AWS want it; default false',
  },
  AUDIT_ARCHIVE_S3_ENCRYPTION: {
    parse: oneOf(['AES256', 'aws:kms']),
    expects: 'AES256 or aws:kms',
    about: "encryption by the store, asked for with each archive; default: the bucket's own rule",
  },
  AUDIT_ARCHIVE_S3_KMS_KEY_ID: {
    parse: text,
    expects: 'the id of a key',
    about: 'the key for aws:kms; default: that of the account',
  },
  AUDIT_ARCHIVE_S3_OBJECT_LOCK: {
    parse: oneOf(['off', 'governance', 'compliance']),
    expects: 'off, governance or compliance',
    about: 'locks archives of the compliance tier in the bucket for their 7 years; default off',
  },
  AUDIT_ARCHIVE_S3_ACCESS_KEY_ID: {
    parse: text,
    expects: 'the id of a key',
    about: 'with the next, what the store knows us by; default: what the AWS SDK finds',
  },
  AUDIT_ARCHIVE_S3_SECRET_ACCESS_KEY: {
    parse: text,
    expects: 'a key',
    about: 'belongs to the one before',
    secret: true,
  },
  LOG_LEVEL: {
    parse: oneOf(LOG_LEVELS),
    expects: 'debug, info, warn, error or silent',
    about: 'least severe event logged; default info',
  },
  DRY_RUN: {
    parse: bool,
    expects: 'true or false',
    about: 'true: financectl shows what it would do and saves nothing; default false',
  },
};

export type SettingName = keyof SettingValues;
