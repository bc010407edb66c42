import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { run } from '#cli/program.ts';
import { givenMetadata, samlFixture } from '#test/sso/given-metadata.ts';
import { bufferedOutside } from '#test/support/cli.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

const SECRET = 'typed-secret-marker';

/** Somebody at a terminal who waits for each question before answering it; the answer ends with Enter. */
async function converse(argv: string[], answers: [question: string, answer: string][]) {
  const { outside, stdout, stderr } = bufferedOutside({
    terminal: { stdin: true, stderr: true },
    runtime: harness.runtime,
    env: { AUTH_PROVIDERS_SOURCE: 'db', APP_URL: 'https://finance.example.com' },
  });
  const keyboard = outside.stdin as unknown as PassThrough;
  expect(keyboard).toBeInstanceOf(PassThrough);
  const ended = run(argv, outside);
  for (const [question, answer] of answers) {
    await vi.waitFor(() => expect(stderr.text()).toContain(question), { timeout: 5_000 });
    const asked = stderr.text().slice(stderr.text().indexOf(question));
    expect(asked, 'a question names the flag that answers it').toMatch(/\(--\w/);
    keyboard.write(`${answer}\r`);
  }
  return { exitCode: await ended, stdout: stdout.text(), stderr: stderr.text() };
}

describe('providers create on a terminal', () => {
  test('asks for what is missing, shows what to register before, and never the secret', async () => {
    const { exitCode, stdout, stderr } = await converse(
      ['providers', 'create', '--strategy', 'openid_connect', '--skip-verify'],
      [
        ['Name', 'okta'],
        ['Issuer URL', 'https://example.okta.com'],
        ['Client id', 'finance'],
        ['Client secret', SECRET],
      ],
    );

    expect(exitCode, stderr).toBe(0);
    expect(stdout).toBe('https://finance.example.com/auth/okta/callback\n');
    expect(stderr.indexOf('Enter there as callback url')).toBeLessThan(stderr.indexOf('Issuer URL'));
    expect(stdout + stderr).not.toContain(SECRET);
    expect(
      await harness.query(`select id, strategy, settings->>'issuer' as issuer from sso_providers`),
    ).toEqual([{ id: 'okta', strategy: 'openid_connect', issuer: 'https://example.okta.com' }]);
  });

  test('offers the well-known ones, and then asks for nothing they have in common', async () => {
    const { exitCode, stderr } = await converse(
      ['providers', 'create', '--skip-verify'],
      [
        ['Which identity provider?', ''],
        ['Client id', 'finance'],
        ['Client secret', SECRET],
      ],
    );

    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain('console.cloud.google.com');
    expect(stderr).not.toContain('Issuer URL');
    expect(await harness.query('select name, label from sso_providers')).toEqual([
      { name: 'google', label: 'Sign in with Google' },
    ]);
  });

  test('of SAML takes the metadata instead of questions, shows it, and asks whether it is meant', async () => {
    await using metadata = await givenMetadata(samlFixture('okta.xml'));

    const { exitCode, stderr } = await converse(
      ['providers', 'create', '--strategy', 'saml'],
      [
        ['Name', 'okta'],
        ['Metadata of the provider', metadata.url],
        ['Save okta?', 'y'],
      ],
    );

    expect(exitCode, stderr).toBe(0);
    expect(stderr.indexOf('Enter there as entity id')).toBeLessThan(
      stderr.indexOf('Metadata of the provider'),
    );
    expect(stderr.indexOf('SHA-256')).toBeLessThan(stderr.indexOf('Save okta?'));
    expect(stderr).not.toContain('Single sign-on URL');
    expect(await harness.query(`select settings->>'metadata_url' as url from sso_providers`)).toEqual([
      { url: metadata.url },
    ]);
  });

  test('of SAML by hand asks for everything, and how people are to be named', async () => {
    const certificate = join(import.meta.dirname, '../fixtures/certificates/strong.crt');

    const { exitCode, stderr } = await converse(
      ['providers', 'create', '--strategy', 'saml'],
      [
        ['Name', 'corp'],
        ['Metadata of the provider', ''],
        ['Single sign-on URL', 'https://idp.example.com/sso'],
        ['Entity id of the provider', 'urn:idp'],
        ['File with the certificate', certificate],
        ['NameID format?', '\u001b[B'],
        ['Save corp?', 'y'],
      ],
    );

    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain('--first-name-attribute');
    expect(await harness.query(`select settings->>'name_id_format' as format from sso_providers`)).toEqual([
      { format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent' },
    ]);
  });

  test('of SAML saves nothing when it is not meant', async () => {
    await using metadata = await givenMetadata(samlFixture('okta.xml'));

    const { exitCode } = await converse(
      ['providers', 'create', '--name', 'okta', '--metadata-url', metadata.url],
      [['Save okta?', 'n']],
    );

    expect(exitCode).toBe(130);
    expect(await harness.query('select 1 from sso_providers')).toEqual([]);
  });

  test('Ctrl-C saves nothing', async () => {
    const { exitCode } = await converse(['providers', 'create', '--strategy', 'saml'], [['Name', '\u0003']]);

    expect(exitCode).toBe(130);
    expect(await harness.query('select 1 from sso_providers')).toEqual([]);
  });
});
