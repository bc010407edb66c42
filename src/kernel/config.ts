import type { Variables } from '#src/kernel/variables.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export const JIT_MODES = ['create_and_link', 'link_only'] as const;

export type JitMode = (typeof JIT_MODES)[number];

/** Where the audit log ends: 90 days, 1 year, 7 years (decisions, section 4). */
export type RetentionTier = 'standard' | 'extended' | 'compliance';

export type ProviderSourceName = 'yaml' | 'database';

interface DatabaseConfig {
  /** Where queries go; undefined means the embedded database under `dataDir`. */
  url: string | undefined;
  /** Where migrations go: a direct connection when `url` leads through a pooler. */
  migrationUrl: string | undefined;
  poolSize: number;
  /** False sends unnamed statements, for poolers that cannot keep named ones. */
  namedStatements: boolean;
  embeddedPort: number | undefined;
}

export interface HttpConfig {
  port: number;
  /** `localhost` listens on 127.0.0.1 and ::1. */
  host: string;
  /** The only source of absolute URLs; no slash at the end. */
  appUrl: string;
  /** How many proxies in front may be believed about `X-Forwarded-For`. */
  trustedProxyHops: number;
  /** Milliseconds between "not ready" and closing the listener. */
  shutdownDelay: number;
  /** Requests per minute and key; undefined means no limit. */
  apiRateLimit: number | undefined;
  /** Processes that answer requests, beside the one that leads them; 1: the one process does it all. */
  workers: number;
  /** What a scraper of `/metrics` proves itself with; undefined: there are none to be had there. */
  metricsToken: string | undefined;
  /** Where metrics are told to everybody who asks; undefined: nowhere. */
  metricsPort: number | undefined;
  metricsHost: string;
}

interface AuthConfig {
  /** Whether people may sign in with a password. */
  localLogin: boolean;
  /** Whether super admins still may while `localLogin` is off. */
  adminOverride: boolean;
}

/** Where identity providers come from, and how they are reached. */
export interface SsoConfig {
  /** What a first sign-in through an identity provider may do. */
  jitMode: JitMode;
  /** Lower case, ASCII. Empty: accounts may be made for every verified address. */
  allowedDomains: readonly string[];
  /** ISO 4217 code of a family that a first sign-in founds. */
  currency: string;
  source: ProviderSourceName;
  /** The YAML file, absolute. */
  file: string;
  /** Whether the sign-in page leads on at once where it offers one provider and nothing else. */
  autoRedirect: boolean;
  /** What the file may refer to. */
  variables: Variables;
  /** Undefined: private addresses only for providers whose own URLs are private (decisions, section 3). */
  allowPrivateNetworks: boolean | undefined;
}

/** What stored secrets are encrypted with (decisions, section 5). */
export interface EncryptionConfig {
  /** The first encrypts, all decrypt; at least one. */
  primaryKeys: readonly string[];
  salt: string;
}

interface SessionConfig {
  /** Sign the cookie: the first signs, all verify. Empty: derived from `secretKeyBase`. */
  secrets: readonly string[];
  idleMinutes: number;
  lifetimeHours: number;
}

interface MailConfig {
  /** Undefined: mail cannot be sent. */
  smtpUrl: string | undefined;
  from: string | undefined;
}

/** A bucket, beside its URL. */
interface BucketConfig {
  /** Undefined: Amazon's own. */
  endpoint: string | undefined;
  region: string | undefined;
  /** The bucket stands in the path instead of the host name. */
  pathStyle: boolean;
  encryption: 'AES256' | 'aws:kms' | undefined;
  kmsKeyId: string | undefined;
  /** Whether archives of the compliance tier are locked against removal until their time. */
  objectLock: 'off' | 'governance' | 'compliance';
  /** Undefined: the default chain of the AWS SDK. */
  accessKeyId: string | undefined;
  secretAccessKey: string | undefined;
}

interface AuditConfig {
  retention: RetentionTier;
  /** A folder, absolute, or an `s3://` URL; undefined: below `dataDir` with the embedded database, else nowhere. */
  archive: string | undefined;
  bucket: BucketConfig;
}

/** Everything the environment decides, checked once at the start. */
export interface Config {
  readonly dataDir: string;
  readonly logLevel: LogLevel;
  readonly dryRun: boolean;
  /** PEM certificates of authorities to trust beside the usual ones, when others are asked. */
  readonly caFile: string | undefined;
  readonly database: Readonly<DatabaseConfig>;
  readonly http: Readonly<HttpConfig>;
  /** Undefined with the embedded database, which brings its own. */
  readonly secretKeyBase: string | undefined;
  readonly auth: Readonly<AuthConfig>;
  readonly sso: Readonly<SsoConfig>;
  /** Undefined: a key derived from the secret key base. */
  readonly encryption: Readonly<EncryptionConfig> | undefined;
  readonly session: Readonly<SessionConfig>;
  readonly mail: Readonly<MailConfig>;
  readonly audit: Readonly<AuditConfig>;
}
