import { LOG_LEVELS, type LogLevel } from '#src/kernel/config.ts';

export interface Setting<T> {
  /** The value, or undefined when the text is none. */
  parse: (text: string) => T | undefined;
  /** Completes the sentence "NAME must be …" when a value is refused. */
  expects: string;
  /** What the setting does and its default, for people. */
  about: string;
  /** Secrets are never printed and may come from the file that NAME_FILE names. */
  secret?: true;
}

/** What each variable gives when it is set. */
export interface SettingValues {
  DATABASE_URL: string;
  MIGRATION_DATABASE_URL: string;
  DATABASE_POOL_SIZE: number;
  DATABASE_NAMED_STATEMENTS: boolean;
  DATA_DIR: string;
  EMBEDDED_DATABASE_PORT: number;
  PORT: number;
  HOST: string;
  APP_URL: string;
  TRUSTED_PROXY_HOPS: number;
  SHUTDOWN_DELAY: number;
  API_RATE_LIMIT_PER_MINUTE: number;
  SECRET_KEY_BASE: string;
  SESSION_SECRETS: string[];
  SESSION_IDLE_MINUTES: number;
  SESSION_LIFETIME_HOURS: number;
  AUTH_LOCAL_LOGIN_ENABLED: boolean;
  AUTH_LOCAL_ADMIN_OVERRIDE_ENABLED: boolean;
  SMTP_URL: string;
  MAIL_FROM: string;
  LOG_LEVEL: LogLevel;
  DRY_RUN: boolean;
}

const text = (value: string) => value;

const bool = (value: string) => (/^(true|false)$/i.test(value) ? value.toLowerCase() === 'true' : undefined);

const oneOf =
  <const T extends readonly string[]>(choices: T) =>
  (value: string): T[number] | undefined =>
    choices.find((choice) => choice === value);

const whole = (minimum: number, maximum: number) => (value: string) => {
  const number = /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN;
  return number >= minimum && number <= maximum ? number : undefined;
};

const url = (protocols: RegExp) => (value: string) => {
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  return parsed && protocols.test(parsed.protocol) ? value : undefined;
};

/** The origin people use to reach the service: no path, no query, no fragment, no credentials, no slash at the end. */
const origin = (value: string) => {
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return undefined;
  return parsed.href === `${parsed.origin}/` ? parsed.origin : undefined;
};

const SHORTEST_SECRET = 32;

const secretText = (value: string) => (value.length >= SHORTEST_SECRET ? value : undefined);

const secretList = (value: string) => {
  const secrets = value.split(',').map((secret) => secret.trim());
  return secrets.every((secret) => secret.length >= SHORTEST_SECRET) ? secrets : undefined;
};

/** `Name <address>` or an address alone. */
const mailbox = (value: string) =>
  /^([^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/.test(value) ? value : undefined;

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
  PORT: {
    parse: whole(0, 65_535),
    expects: 'a port from 0 to 65535',
    about: 'where the server listens; default 3000',
  },
  HOST: {
    parse: text,
    expects: 'a host name or address',
    about: 'default localhost (127.0.0.1 and ::1); 0.0.0.0 for every interface',
  },
  APP_URL: {
    parse: origin,
    expects: 'an http:// or https:// URL without path, query, fragment or password',
    about: 'what people type to get here; the only source of absolute links; default http://localhost:PORT',
  },
  TRUSTED_PROXY_HOPS: {
    parse: whole(0, 10),
    expects: 'a whole number from 0 to 10',
    about: 'proxies in front whose X-Forwarded-For is believed; default 0: the header is ignored',
  },
  SHUTDOWN_DELAY: {
    parse: whole(0, 60_000),
    expects: 'milliseconds from 0 to 60000',
    about: 'after SIGTERM, time for load balancers to look away before the listener closes; default 0',
  },
  API_RATE_LIMIT_PER_MINUTE: {
    parse: whole(1, 1_000_000),
    expects: 'a whole number from 1 to 1000000',
    about: 'API requests per key and minute, over all processes; default: no limit',
  },
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
