import type { JitMode, LogLevel, ProviderSourceName } from '#src/kernel/config.ts';

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
  METRICS_TOKEN: string;
  SECRET_KEY_BASE: string;
  SESSION_SECRETS: string[];
  SESSION_IDLE_MINUTES: number;
  SESSION_LIFETIME_HOURS: number;
  AUTH_LOCAL_LOGIN_ENABLED: boolean;
  AUTH_LOCAL_ADMIN_OVERRIDE_ENABLED: boolean;
  AUTH_AUTO_REDIRECT: boolean;
  AUTH_JIT_MODE: JitMode;
  DEFAULT_CURRENCY: string;
  ALLOWED_OIDC_DOMAINS: string[];
  AUTH_PROVIDERS_SOURCE: ProviderSourceName;
  AUTH_PROVIDERS_FILE: string;
  SSO_ALLOW_PRIVATE_NETWORKS: boolean;
  SSL_CA_FILE: string;
  ACTIVE_RECORD_ENCRYPTION_PRIMARY_KEY: string[];
  ACTIVE_RECORD_ENCRYPTION_DETERMINISTIC_KEY: string;
  ACTIVE_RECORD_ENCRYPTION_KEY_DERIVATION_SALT: string;
  SMTP_URL: string;
  MAIL_FROM: string;
  LOG_LEVEL: LogLevel;
  DRY_RUN: boolean;
}
