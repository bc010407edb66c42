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

/** Everything the environment decides, checked once at the start. */
export interface Config {
  readonly dataDir: string;
  readonly logLevel: LogLevel;
  readonly dryRun: boolean;
  readonly database: Readonly<DatabaseConfig>;
  readonly http: Readonly<HttpConfig>;
}
