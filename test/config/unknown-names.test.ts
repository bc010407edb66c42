import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadEnvironment } from '#config/environment-file.ts';
import { SETTINGS, type Setting } from '#config/settings.ts';
import { unknownNames } from '#config/unknown-names.ts';
import { runCli } from '#test/support/cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'finance-names-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

const textsOf = (names: string[]) =>
  unknownNames(Object.fromEntries(names.map((name) => [name, 'x']))).map(({ text }) => text);

/** Of the shell, of Node, PostgreSQL, OpenSSL, the AWS SDK, containers and systemd. */
const OTHERS =
  'HOME PATH PWD SHELL TERM USER LANG TZ SHLVL LOGNAME MAIL EDITOR HOSTNAME HOSTTYPE COLUMNS CI DEBUG NO_COLOR FORCE_COLOR NODE_ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_COMPILE_CACHE PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGSSLMODE POSTGRES_USER POSTGRES_PASSWORD SSL_CERT_FILE SSL_CERT_DIR AWS_REGION AWS_PROFILE AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_ENDPOINT_URL APP_UID XDG_DATA_DIRS XDG_DATA_HOME http_proxy HTTPS_PROXY CREDENTIALS_DIRECTORY INVOCATION_ID STATE_DIRECTORY JOURNAL_STREAM OTEL_SERVICE_NAME KUBERNETES_SERVICE_HOST KUBERNETES_PORT DOCKER_HOST FINANCECTL_ACTOR FINANCECTL_NO_INPUT';
/** What Sure reads and this service does not. */
const SURE =
  'SELF_HOSTED APP_DOMAIN EMAIL_SENDER SMTP_ADDRESS SMTP_PORT SMTP_USERNAME SMTP_PASSWORD SMTP_TLS_ENABLED DB_HOST DB_PORT REDIS_URL RAILS_ENV RAILS_MAX_THREADS RAILS_FORCE_SSL RAILS_ASSUME_SSL RAILS_LOG_LEVEL SSL_VERIFY SSL_DEBUG OIDC_ISSUER OIDC_CLIENT_ID OIDC_CLIENT_SECRET OIDC_REDIRECT_URI OIDC_BUTTON_LABEL GOOGLE_OAUTH_CLIENT_ID GITHUB_CLIENT_SECRET OPENAI_ACCESS_TOKEN ONBOARDING_STATE REQUIRE_INVITE_CODE';

describe('names that are no settings', () => {
  test.each([
    ['AUDIT_RETENTON', 'Did you mean AUDIT_RETENTION?'],
    ['DATABSE_URL', 'Did you mean DATABASE_URL?'],
    ['SECRET_KEY_BASE_FIL', 'Did you mean SECRET_KEY_BASE_FILE?'],
    ['DRYRUN', 'Did you mean DRY_RUN?'],
    ['AUDIT_TIER', 'AUDIT_TIER is no setting and does nothing.'],
    ['SSO_ALLOW_PRIVATE', 'SSO_ALLOW_PRIVATE is no setting and does nothing.'],
  ])('are found: %s', (name, text) => {
    expect(textsOf([name])).toEqual([expect.stringContaining(text)]);
    expect(unknownNames({ [name]: ' ' })).toEqual([]);
  });

  test('are none of those that settings have, or that others read', () => {
    const ours = Object.entries<Setting<unknown>>(SETTINGS).flatMap(([name, { secret }]) =>
      secret ? [name, `${name}_FILE`] : [name],
    );

    expect(textsOf([...ours, ...OTHERS.split(' '), ...SURE.split(' ')])).toEqual([]);
  });

  test('are none of those that the file of providers refers to', () => {
    const providers = `client_id: \${SSO_OKTA_ID}\nclient_secret: \${AUTH_OKTA_SECRET:-}\n`;
    const env = { SSO_OKTA_ID: 'x', AUTH_OKTA_SECRET_FILE: '/x', SSO_OTHER: 'x' };

    const names = unknownNames({ ...env, AUTH_PROVIDERS_FILE: fileOf('auth.yml', providers) });

    expect(names.map(({ name }) => name)).toEqual(['SSO_OTHER']);
  });

  test('are refused in a file, all at once and by line, when they are slips', () => {
    const file = fileOf(
      'slips.env',
      'PORT=1\nAUDIT_RETENTON=extended\nexport DATABSE_URL = planted\nSSO_X=1\n',
    );

    expect(() => loadEnvironment({ env: {}, file })).toThrow(
      expect.objectContaining({
        code: 'configuration_invalid',
        errors: [
          `${file}:2: AUDIT_RETENTON is no setting and does nothing. Did you mean AUDIT_RETENTION?`,
          `${file}:3: DATABSE_URL is no setting and does nothing. Did you mean DATABASE_URL?`,
        ],
      }),
    );
  });

  test('are warned of in the environment, and those that only begin like ours also in a file', async () => {
    const file = fileOf('prefix.env', 'SSO_X=1\n');
    const argv = ['config', 'check', '--config', file, '--json'];

    const { exitCode, stdout, stderr } = await runCli(argv, { env: { AUDIT_RETENTON: 'planted' } });

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      valid: true,
      unknown: [
        expect.stringContaining('SSO_X is no'),
        expect.stringContaining('Did you mean AUDIT_RETENTION?'),
      ],
    });
    expect(stderr).toMatch(/^warning: SSO_X is .*AUDIT_RETENTON is no setting/);
    expect(stdout + stderr).not.toContain('planted');
  });
});
