export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

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
}

interface AuthConfig {
  /** Whether people may sign in with a password. */
  localLogin: boolean;
  /** Whether super admins still may while `localLogin` is off. */
  adminOverride: boolean;
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

/** Everything the environment decides, checked once at the start. */
export interface Config {
  readonly dataDir: string;
  readonly logLevel: LogLevel;
  readonly dryRun: boolean;
  readonly database: Readonly<DatabaseConfig>;
  readonly http: Readonly<HttpConfig>;
  /** Undefined with the embedded database, which brings its own. */
  readonly secretKeyBase: string | undefined;
  readonly auth: Readonly<AuthConfig>;
  readonly session: Readonly<SessionConfig>;
  readonly mail: Readonly<MailConfig>;
}
