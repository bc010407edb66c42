import { mkdtemp, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Environment, loadConfig } from '#config/env.ts';
import { SETTINGS } from '#config/settings.ts';
import { AppError } from '#src/kernel/errors.ts';

function problemsOf(env: Environment): string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    return error instanceof AppError ? (error.errors ?? []) : [String(error)];
  }
}

describe('the configuration', () => {
  test('has defaults for everything', () => {
    expect(loadConfig({})).toMatchObject({
      logLevel: 'info',
      dryRun: false,
      caFile: undefined,
      dataDir: expect.stringMatching(/\/\.data$/),
      database: { url: undefined, poolSize: 8, namedStatements: true, embeddedPort: undefined },
      http: {
        port: 3000,
        host: 'localhost',
        appUrl: 'http://localhost:3000',
        trustedProxyHops: 0,
        workers: 1,
        metricsPort: undefined,
        metricsHost: 'localhost',
      },
      auth: { localLogin: true, adminOverride: false },
      sso: {
        source: 'yaml',
        file: expect.stringMatching(/\/config\/auth\.yml$/),
        allowPrivateNetworks: undefined,
      },
      encryption: undefined,
    });
  });

  test('takes auto for as many processes as this machine can run at once', () => {
    expect(loadConfig({ WEB_CONCURRENCY: 'auto' }).http.workers).toBe(Math.min(availableParallelism(), 64));
    expect(loadConfig({ WEB_CONCURRENCY: '64' }).http.workers).toBe(64);
  });

  test('takes empty values for unset ones', () => {
    expect(loadConfig(Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, ' '])))).toEqual(
      loadConfig({}),
    );
  });

  test('reports every problem at once, each with its variable', () => {
    const problems = problemsOf({
      PORT: '70000',
      DRY_RUN: 'yes',
      LOG_LEVEL: 'loud',
      APP_URL: 'localhost:3000',
    });

    expect(problems).toEqual([
      'PORT must be a port from 0 to 65535, not "70000"',
      'LOG_LEVEL must be debug, info, warn, error or silent, not "loud"',
      'DRY_RUN must be true or false, not "yes"',
      expect.stringMatching(/^APP_URL must be an http/),
    ]);
  });

  test.each([
    ['PORT', '-1'],
    ['PORT', '1.5'],
    ['PORT', '0x10'],
    ['DATABASE_POOL_SIZE', '0'],
    ['TRUSTED_PROXY_HOPS', '11'],
    ['WEB_CONCURRENCY', '0'],
    ['WEB_CONCURRENCY', '65'],
    ['WEB_CONCURRENCY', 'all'],
    ['METRICS_PORT', '65536'],
    ['APP_URL', 'https://user:secret@example.com'],
    ['APP_URL', 'https://example.com/?q'],
    ['APP_URL', 'https://example.com/path'],
    ['APP_URL', 'ftp://example.com'],
    ['SECRET_KEY_BASE', 'too short'],
    ['SESSION_SECRETS', 'a secret that is long enough to sign,short'],
    ['AUTH_LOCAL_LOGIN_ENABLED', 'yes'],
    ['AUTH_LOCAL_ADMIN_OVERRIDE_ENABLED', '1'],
    ['AUTH_AUTO_REDIRECT', 'yes'],
    ['AUTH_JIT_MODE', 'create'],
    ['AUTH_PROVIDERS_SOURCE', 'file'],
    ['AUTH_PROVIDERS_SOURCE', 'constructor'],
    ['SSO_ALLOW_PRIVATE_NETWORKS', 'sometimes'],
    ['ALLOWED_OIDC_DOMAINS', ','],
    ['ALLOWED_OIDC_DOMAINS', '*'],
    ['ALLOWED_OIDC_DOMAINS', '*.example.com'],
    ['ALLOWED_OIDC_DOMAINS', 'example.com,@example.org'],
    ['ALLOWED_OIDC_DOMAINS', 'ada@example.com'],
    ['ALLOWED_OIDC_DOMAINS', 'example.com example.org'],
    ['ALLOWED_OIDC_DOMAINS', 'https://example.com'],
    ['ALLOWED_OIDC_DOMAINS', 'example.com.'],
    ['ALLOWED_OIDC_DOMAINS', 'example..com'],
    ['SESSION_IDLE_MINUTES', '0'],
    ['SESSION_LIFETIME_HOURS', 'forever'],
    ['SMTP_URL', 'http://mail.example'],
    ['MAIL_FROM', 'nobody'],
    ['DATABASE_URL', 'mysql://localhost/finance'],
    ['DATABASE_NAMED_STATEMENTS', '1'],
    ['DRY_RUN', 'constructor'],
    ['AUDIT_ARCHIVE_URL', 'archive'],
    ['AUDIT_ARCHIVE_URL', 'file://host/archive'],
    ['AUDIT_ARCHIVE_URL', 'file:///archive?x'],
    ['AUDIT_ARCHIVE_URL', 'file:///a%2Fb'],
    ['AUDIT_ARCHIVE_URL', 'file:///a%zz'],
    ['AUDIT_ARCHIVE_URL', 's3://My_Bucket/x'],
    ['AUDIT_ARCHIVE_URL', 's3://ab'],
  ])('refuses %s=%s', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([expect.stringContaining(`${name} must be`)]);
  });

  test.each(['true', 'TRUE', 'True', 'false', 'FALSE'])('reads %s as a switch', (value) => {
    expect(loadConfig({ DRY_RUN: value }).dryRun).toBe(value.toLowerCase() === 'true');
  });

  test('never repeats a secret', () => {
    expect(problemsOf({ DATABASE_URL: 'mysql://ada:hunter2@localhost' }).join()).not.toContain('hunter2');
  });

  test('reads a secret from the file that NAME_FILE names', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'finance-env-')), 'url');
    await writeFile(file, 'postgres://h/d\n');

    expect(loadConfig({ DATABASE_URL_FILE: file }).database.url).toBe('postgres://h/d');
    expect(problemsOf({ DATABASE_URL_FILE: file, DATABASE_URL: 'postgres://h/e' })).toEqual([
      'DATABASE_URL and DATABASE_URL_FILE are both set; keep one',
    ]);
    expect(problemsOf({ DATABASE_URL_FILE: `${file}.gone` })).toEqual([expect.stringContaining('ENOENT')]);
  });

  test.each([
    [' Example.com , , example.ORG,', ['example.com', 'example.org']],
    ['bücher.example', ['xn--bcher-kva.example']],
    ['localhost', ['localhost']],
  ])('reads the domains %j', (value, domains) => {
    expect(loadConfig({ ALLOWED_OIDC_DOMAINS: value }).sso.allowedDomains).toEqual(domains);
  });

  test.each([
    ['db', 'database'],
    ['DB', 'database'],
    ['database', 'database'],
    ['yaml', 'yaml'],
  ])('reads AUTH_PROVIDERS_SOURCE=%s', (value, source) => {
    expect(loadConfig({ AUTH_PROVIDERS_SOURCE: value }).sso.source).toBe(source);
  });

  test.each([
    ['/var/lib/archive', '/var/lib/archive'],
    ['file:///var/lib/archive', '/var/lib/archive'],
    ['file:///var/lib/my%20archive', '/var/lib/my archive'],
    ['s3://my-bucket/some/prefix', 's3://my-bucket/some/prefix'],
  ])('reads AUDIT_ARCHIVE_URL=%s', (value, place) => {
    expect(loadConfig({ AUDIT_ARCHIVE_URL: value }).audit.archive).toBe(place);
  });

  test('wants DATABASE_URL beside MIGRATION_DATABASE_URL', () => {
    expect(problemsOf({ MIGRATION_DATABASE_URL: 'postgres://h/d' })).toHaveLength(1);
  });
});

describe('the encryption keys', () => {
  const keys = {
    ACTIVE_RECORD_ENCRYPTION_PRIMARY_KEY: 'the newest of the keys, the one before it',
    ACTIVE_RECORD_ENCRYPTION_DETERMINISTIC_KEY: 'another key of sixteen or more',
    ACTIVE_RECORD_ENCRYPTION_KEY_DERIVATION_SALT: 'the salt of the derivation',
  };
  const names = Object.keys(keys) as (keyof typeof keys)[];

  test('are read together', () => {
    expect(loadConfig(keys).encryption).toEqual({
      primaryKeys: ['the newest of the keys', 'the one before it'],
      salt: 'the salt of the derivation',
    });
  });

  test.each(names)('are all or none: %s alone, or missing, names what is missing', (name) => {
    const others = names.filter((other) => other !== name);

    expect(problemsOf({ [name]: keys[name] })).toEqual([
      `${others.join(' and ')} must be set too: the three ACTIVE_RECORD_ENCRYPTION_ keys go together`,
    ]);
    expect(problemsOf({ ...keys, [name]: '' })).toEqual([expect.stringMatching(`^${name} must be set too`)]);
  });

  test.each(names)('are long enough, and never repeated: %s', (name) => {
    const [problem] = problemsOf({ ...keys, [name]: 'sesame' });

    expect(problem).toContain(`${name} must be`);
    expect(problem).not.toContain('sesame');
  });

  test('a list with a short one among them is refused', () => {
    expect(
      problemsOf({ ...keys, ACTIVE_RECORD_ENCRYPTION_PRIMARY_KEY: 'the newest of the keys,' }),
    ).toHaveLength(1);
  });
});

describe('what files may refer to', () => {
  test('is looked up by name, in the file that NAME_FILE names too, and never printed', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'finance-env-')), 'secret');
    await writeFile(file, 'from the file\n');

    const { variables } = loadConfig({ OKTA_ID: ' abc ', OKTA_SECRET_FILE: file, EMPTY: ' ' }).sso;

    expect(variables.find('OKTA_ID')).toBe('abc');
    expect(variables.find('OKTA_SECRET')).toBe('from the file');
    expect(variables.find('EMPTY')).toBeUndefined();
    expect(`${JSON.stringify(variables)} ${inspect(variables)}`).not.toContain('abc');
  });
});
