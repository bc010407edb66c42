import type { Command } from 'commander';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { type Cell, type Column, listOptions, printList } from '#cli/render.ts';
import type { LoadedEnvironment } from '#config/environment-file.ts';
import { SETTINGS, type Setting, type SettingName } from '#config/settings.ts';
import type { Config } from '#src/kernel/config.ts';

interface Row {
  name: string;
  value: Cell;
  source: string;
}

const COLUMNS: Column<Row>[] = [
  { key: 'name', header: 'SETTING', value: ({ name }) => name, whole: true },
  { key: 'value', value: ({ value }) => value, text: ({ value }) => String(value ?? '-') },
  { key: 'source', value: ({ source }) => source },
];

/** What each setting has come to, defaults included. */
const IN_FORCE: Readonly<Record<SettingName, (config: Config) => Cell>> = {
  DATABASE_URL: ({ database }) => database.url,
  MIGRATION_DATABASE_URL: ({ database }) => database.migrationUrl,
  DATABASE_POOL_SIZE: ({ database }) => database.poolSize,
  DATABASE_NAMED_STATEMENTS: ({ database }) => database.namedStatements,
  DATA_DIR: ({ dataDir }) => dataDir,
  EMBEDDED_DATABASE_PORT: ({ database }) => database.embeddedPort,
  PORT: ({ http }) => http.port,
  HOST: ({ http }) => http.host,
  APP_URL: ({ http }) => http.appUrl,
  TRUSTED_PROXY_HOPS: ({ http }) => http.trustedProxyHops,
  SHUTDOWN_DELAY: ({ http }) => http.shutdownDelay,
  API_RATE_LIMIT_PER_MINUTE: ({ http }) => http.apiRateLimit,
  WEB_CONCURRENCY: ({ http }) => http.workers,
  METRICS_TOKEN: ({ http }) => http.metricsToken,
  METRICS_PORT: ({ http }) => http.metricsPort,
  METRICS_HOST: ({ http }) => http.metricsHost,
  SECRET_KEY_BASE: ({ secretKeyBase }) => secretKeyBase,
  SESSION_SECRETS: ({ session }) => session.secrets.join(',') || undefined,
  SESSION_IDLE_MINUTES: ({ session }) => session.idleMinutes,
  SESSION_LIFETIME_HOURS: ({ session }) => session.lifetimeHours,
  AUTH_LOCAL_LOGIN_ENABLED: ({ auth }) => auth.localLogin,
  AUTH_LOCAL_ADMIN_OVERRIDE_ENABLED: ({ auth }) => auth.adminOverride,
  AUTH_AUTO_REDIRECT: ({ sso }) => sso.autoRedirect,
  DEFAULT_CURRENCY: ({ sso }) => sso.currency,
  AUTH_JIT_MODE: ({ sso }) => sso.jitMode,
  ALLOWED_OIDC_DOMAINS: ({ sso }) => sso.allowedDomains.join(',') || undefined,
  AUTH_PROVIDERS_SOURCE: ({ sso }) => sso.source,
  AUTH_PROVIDERS_FILE: ({ sso }) => sso.file,
  SSO_ALLOW_PRIVATE_NETWORKS: ({ sso }) => sso.allowPrivateNetworks,
  SSL_CA_FILE: ({ caFile }) => caFile,
  ACTIVE_RECORD_ENCRYPTION_PRIMARY_KEY: ({ encryption }) => encryption && 'set',
  ACTIVE_RECORD_ENCRYPTION_DETERMINISTIC_KEY: ({ encryption }) => encryption && 'set',
  ACTIVE_RECORD_ENCRYPTION_KEY_DERIVATION_SALT: ({ encryption }) => encryption && 'set',
  SMTP_URL: ({ mail }) => mail.smtpUrl,
  MAIL_FROM: ({ mail }) => mail.from,
  AUDIT_RETENTION: ({ audit }) => audit.retention,
  AUDIT_ARCHIVE_URL: ({ audit }) => audit.archive,
  AUDIT_ARCHIVE_S3_ENDPOINT: ({ audit }) => audit.bucket.endpoint,
  AUDIT_ARCHIVE_S3_REGION: ({ audit }) => audit.bucket.region,
  AUDIT_ARCHIVE_S3_PATH_STYLE: ({ audit }) => audit.bucket.pathStyle,
  AUDIT_ARCHIVE_S3_ENCRYPTION: ({ audit }) => audit.bucket.encryption,
  AUDIT_ARCHIVE_S3_KMS_KEY_ID: ({ audit }) => audit.bucket.kmsKeyId,
  AUDIT_ARCHIVE_S3_OBJECT_LOCK: ({ audit }) => audit.bucket.objectLock,
  AUDIT_ARCHIVE_S3_ACCESS_KEY_ID: ({ audit }) => audit.bucket.accessKeyId,
  AUDIT_ARCHIVE_S3_SECRET_ACCESS_KEY: ({ audit }) => audit.bucket.secretAccessKey,
  LOG_LEVEL: ({ logLevel }) => logLevel,
  DRY_RUN: ({ dryRun }) => dryRun,
};

export function show(config: Command, host: Host): void {
  listOptions(config.command('show'))
    .summary('show every setting, its value and where it comes from')
    .description('Shows every setting in force and its source. Secrets are only said to be set.')
    .addHelpText('after', examples(['config show', 'config show --json'], 'financectl help environment'))
    .action((options: { header: boolean }) => runShow(host, options));
}

async function runShow(host: Host, options: { header: boolean }): Promise<void> {
  const config = host.config();
  const rows = Object.entries(IN_FORCE).map(([name, read]) => describe(name, read(config), host));
  await printList(host, options, { rows, columns: COLUMNS, empty: 'There are no settings' });
}

const SECRETS = new Set(
  Object.entries<Setting<unknown>>(SETTINGS)
    .filter(([, { secret }]) => secret)
    .map(([name]) => name),
);

function describe(name: string, value: Cell, host: Host): Row {
  const secret = SECRETS.has(name);
  const byFlag = name === 'DRY_RUN' && host.flags.dryRun !== undefined;
  return {
    name,
    value: byFlag ? host.dryRun : secret && value != null ? '(set)' : value,
    source: byFlag ? 'flag' : sourceOf(name, secret, host.environment),
  };
}

/** Where the value in force was found. */
function sourceOf(name: string, secret: boolean, { env, file, fromFile }: LoadedEnvironment): string {
  const given = [name, ...(secret ? [`${name}_FILE`] : [])].find((form) => env[form]?.trim());
  if (given === undefined) return 'default';
  const indirect = given === name ? undefined : given;
  if (fromFile.has(given)) return indirect ? `${file} (${indirect})` : String(file);
  return indirect ? `file (${indirect})` : 'environment';
}
