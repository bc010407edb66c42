import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SettingValues } from '#config/setting-values.ts';
import { SETTINGS, type Setting, type SettingName } from '#config/settings.ts';
import { STANDARD_PROVIDERS_FILE } from '#config/standard-file.ts';
import type { Config } from '#src/kernel/config.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';
import { Variables } from '#src/kernel/variables.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const ROOT = resolve(import.meta.dirname, '..');

/**
 * The environment, checked once. Empty values count as unset; `NAME_FILE` may give a secret.
 * Every problem is reported in one `configuration_invalid`, each naming its variable. `serving` demands what only
 * the server cannot do without.
 */
export function loadConfig(env: Environment, { serving = false } = {}): Config {
  const problems: string[] = [];
  const read = <N extends SettingName>(name: N) => readSetting(env, name, problems);

  const port = read('PORT') ?? 3000;
  const config: Config = {
    dataDir: resolve(read('DATA_DIR') ?? join(ROOT, '.data')),
    logLevel: read('LOG_LEVEL') ?? 'info',
    dryRun: read('DRY_RUN') ?? false,
    caFile: read('SSL_CA_FILE'),
    database: {
      url: read('DATABASE_URL'),
      migrationUrl: read('MIGRATION_DATABASE_URL'),
      poolSize: read('DATABASE_POOL_SIZE') ?? 8,
      namedStatements: read('DATABASE_NAMED_STATEMENTS') ?? true,
      embeddedPort: read('EMBEDDED_DATABASE_PORT'),
    },
    http: readHttp(read, port),
    secretKeyBase: read('SECRET_KEY_BASE'),
    auth: {
      localLogin: read('AUTH_LOCAL_LOGIN_ENABLED') ?? true,
      adminOverride: read('AUTH_LOCAL_ADMIN_OVERRIDE_ENABLED') ?? false,
    },
    sso: {
      jitMode: read('AUTH_JIT_MODE') ?? 'create_and_link',
      allowedDomains: read('ALLOWED_OIDC_DOMAINS') ?? [],
      currency: read('DEFAULT_CURRENCY') ?? 'USD',
      source: read('AUTH_PROVIDERS_SOURCE') ?? 'yaml',
      file: resolve(read('AUTH_PROVIDERS_FILE') ?? STANDARD_PROVIDERS_FILE),
      autoRedirect: read('AUTH_AUTO_REDIRECT') ?? false,
      variables: new Variables(env),
      allowPrivateNetworks: read('SSO_ALLOW_PRIVATE_NETWORKS'),
    },
    encryption: readEncryption(read, problems),
    session: {
      secrets: read('SESSION_SECRETS') ?? [],
      idleMinutes: read('SESSION_IDLE_MINUTES') ?? 720,
      lifetimeHours: read('SESSION_LIFETIME_HOURS') ?? 168,
    },
    mail: { smtpUrl: read('SMTP_URL'), from: read('MAIL_FROM') },
    audit: readAudit(read),
  };
  problems.push(...contradictions(config, serving));
  if (problems.length > 0) {
    throw new AppError('configuration_invalid', problems.join('; '), {
      errors: problems,
      hint: "Correct them and start again; 'financectl help environment' lists every variable.",
    });
  }
  return config;
}

function readHttp(read: Read, port: number): Config['http'] {
  return {
    port,
    host: read('HOST') ?? 'localhost',
    appUrl: read('APP_URL') ?? `http://localhost:${port}`,
    trustedProxyHops: read('TRUSTED_PROXY_HOPS') ?? 0,
    shutdownDelay: read('SHUTDOWN_DELAY') ?? 0,
    apiRateLimit: read('API_RATE_LIMIT_PER_MINUTE'),
    workers: read('WEB_CONCURRENCY') ?? 1,
    metricsToken: read('METRICS_TOKEN'),
    metricsPort: read('METRICS_PORT'),
    metricsHost: read('METRICS_HOST') ?? 'localhost',
  };
}

function readAudit(read: Read): Config['audit'] {
  return {
    retention: read('AUDIT_RETENTION') ?? 'standard',
    archive: read('AUDIT_ARCHIVE_URL'),
    bucket: {
      endpoint: read('AUDIT_ARCHIVE_S3_ENDPOINT'),
      region: read('AUDIT_ARCHIVE_S3_REGION'),
      pathStyle: read('AUDIT_ARCHIVE_S3_PATH_STYLE') ?? false,
      encryption: read('AUDIT_ARCHIVE_S3_ENCRYPTION'),
      kmsKeyId: read('AUDIT_ARCHIVE_S3_KMS_KEY_ID'),
      objectLock: read('AUDIT_ARCHIVE_S3_OBJECT_LOCK') ?? 'off',
      accessKeyId: read('AUDIT_ARCHIVE_S3_ACCESS_KEY_ID'),
      secretAccessKey: read('AUDIT_ARCHIVE_S3_SECRET_ACCESS_KEY'),
    },
  };
}

/** What is wrong with settings that are right one by one. */
function contradictions({ database, secretKeyBase, mail, audit }: Config, serving: boolean): string[] {
  const problems: string[] = [];
  if (database.migrationUrl && !database.url) {
    problems.push('MIGRATION_DATABASE_URL needs DATABASE_URL beside it');
  }
  if (serving && database.url && secretKeyBase === undefined) {
    problems.push('SECRET_KEY_BASE must be set when DATABASE_URL is: at least 32 characters, random');
  }
  if (audit.retention !== 'standard' && database.url && !audit.archive) {
    problems.push(
      `AUDIT_RETENTION=${audit.retention} needs AUDIT_ARCHIVE_URL when DATABASE_URL is set: one place for all processes`,
    );
  }
  if ((audit.bucket.accessKeyId === undefined) !== (audit.bucket.secretAccessKey === undefined)) {
    problems.push('AUDIT_ARCHIVE_S3_ACCESS_KEY_ID and AUDIT_ARCHIVE_S3_SECRET_ACCESS_KEY go together');
  }
  if (mail.smtpUrl && !mail.from) problems.push('SMTP_URL needs MAIL_FROM beside it');
  return problems;
}

const KEY_SETTINGS = [
  'ACTIVE_RECORD_ENCRYPTION_PRIMARY_KEY',
  'ACTIVE_RECORD_ENCRYPTION_DETERMINISTIC_KEY',
  'ACTIVE_RECORD_ENCRYPTION_KEY_DERIVATION_SALT',
] as const;

type Read = <N extends SettingName>(name: N) => SettingValues[N] | undefined;

/** All three or none: some of them alone would silently encrypt with something else. */
function readEncryption(read: Read, problems: string[]): Config['encryption'] {
  const before = problems.length;
  const [primaryKeys, deterministicKey, salt] = [
    read(KEY_SETTINGS[0]),
    read(KEY_SETTINGS[1]),
    read(KEY_SETTINGS[2]),
  ];
  if (problems.length > before) return undefined;
  if (primaryKeys && deterministicKey && salt) return { primaryKeys, salt };

  const values = [primaryKeys, deterministicKey, salt];
  const missing = KEY_SETTINGS.filter((_, index) => values[index] === undefined);
  if (missing.length < KEY_SETTINGS.length) {
    problems.push(
      `${missing.join(' and ')} must be set too: the three ACTIVE_RECORD_ENCRYPTION_ keys go together`,
    );
  }
  return undefined;
}

function readSetting<N extends SettingName>(
  env: Environment,
  name: N,
  problems: string[],
): SettingValues[N] | undefined {
  const setting: Setting<SettingValues[N]> = SETTINGS[name];
  const text = readText(env, name, setting, problems);
  if (text === undefined) return undefined;

  const value = setting.parse(text);
  if (value === undefined) {
    problems.push(`${name} must be ${setting.expects}${setting.secret ? '' : `, not "${text}"`}`);
  }
  return value;
}

function readText(
  env: Environment,
  name: SettingName,
  setting: Setting<unknown>,
  problems: string[],
): string | undefined {
  const direct = env[name]?.trim() || undefined;
  const file = setting.secret ? env[`${name}_FILE`]?.trim() || undefined : undefined;
  if (file === undefined) return direct;
  if (direct !== undefined) {
    problems.push(`${name} and ${name}_FILE are both set; keep one`);
    return undefined;
  }
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (error) {
    problems.push(`${name}_FILE cannot be read (${errorCode(error)}): ${file}`);
    return undefined;
  }
}
