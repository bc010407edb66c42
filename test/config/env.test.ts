import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
      dataDir: expect.stringMatching(/\/\.data$/),
      database: { url: undefined, poolSize: 8, namedStatements: true, embeddedPort: undefined },
      http: { port: 3000, host: 'localhost', appUrl: 'http://localhost:3000', trustedProxyHops: 0 },
    });
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
    ['APP_URL', 'https://user:secret@example.com'],
    ['APP_URL', 'https://example.com/?q'],
    ['APP_URL', 'https://example.com/path'],
    ['APP_URL', 'ftp://example.com'],
    ['SECRET_KEY_BASE', 'too short'],
    ['SESSION_SECRETS', 'a secret that is long enough to sign,short'],
    ['AUTH_LOCAL_LOGIN_ENABLED', 'yes'],
    ['AUTH_LOCAL_ADMIN_OVERRIDE_ENABLED', '1'],
    ['SESSION_IDLE_MINUTES', '0'],
    ['SESSION_LIFETIME_HOURS', 'forever'],
    ['SMTP_URL', 'http://mail.example'],
    ['MAIL_FROM', 'nobody'],
    ['DATABASE_URL', 'mysql://localhost/finance'],
    ['DATABASE_NAMED_STATEMENTS', '1'],
    ['DRY_RUN', 'constructor'],
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

  test('wants DATABASE_URL beside MIGRATION_DATABASE_URL', () => {
    expect(problemsOf({ MIGRATION_DATABASE_URL: 'postgres://h/d' })).toHaveLength(1);
  });
});
