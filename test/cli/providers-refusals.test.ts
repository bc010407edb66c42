import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createProvider } from '#src/sso/providers/create-provider.ts';
import { OIDC, SAML } from '#test/sso/given-provider.ts';
import { runCli } from '#test/support/cli.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

const cli = (argv: string[], env: Record<string, string> = {}) =>
  runCli(argv, { runtime: harness.runtime, env: { AUTH_PROVIDERS_SOURCE: 'db', ...env } });

/** A server that answers everything with one status. */
async function answering(status: number): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a provider that answers with', () => {
  test.each([
    [404, 5],
    [403, 5],
    [500, 7],
    [503, 7],
    [429, 7],
  ])('%i is exit code %i: of discovery and metadata, when added and when tested', async (status, code) => {
    const url = await answering(status);
    const oidc = ['--strategy', 'openid_connect', '--name', 'acme', '--client-id', 'x', '--issuer', url];
    const saml = ['--name', 'corp', '--metadata-url', `${url}/metadata`];

    for (const flags of [oidc, saml]) {
      const created = await cli(['providers', 'create', ...flags]);
      expect(created.exitCode, created.stderr).toBe(code);
      expect(created.stderr).toContain(`(${status})`);
      expect((await cli(['providers', 'create', ...flags, '--skip-verify'])).exitCode).toBe(0);
    }
    for (const name of ['acme', 'corp'])
      expect((await cli(['providers', 'test', name])).exitCode, name).toBe(code);
  });
});

describe('trust_email', () => {
  const FLAGS = ['--sso-url', SAML.sso_url, '--entity-id', SAML.entity_id, '--certificate-file'];

  test('is refused of a SAML provider, and nothing is saved', async () => {
    const path = 'test/fixtures/certificates/strong.crt';
    const flags = ['--strategy', 'saml', '--name', 'corp', ...FLAGS, path, '--trust-email'];

    const { exitCode, stderr } = await cli(['providers', 'create', ...flags]);

    expect(exitCode).toBe(5);
    expect(stderr).toContain('trust_email: is not for saml providers');
    expect(await harness.query('select 1 from sso_providers')).toEqual([]);
  });

  test('stored of one by an older release does not keep it from working', async () => {
    await harness.perform((work) => createProvider(work, SAML));
    await harness.query(`update sso_providers set settings = settings || '{"trust_email": true}'`);

    const { stdout } = await cli(['providers', 'show', 'adfs', '--json']);

    expect(JSON.parse(stdout)).toMatchObject({ name: 'adfs', problem: null });
    expect(stdout).not.toContain('trust_email');
    expect((await cli(['providers', 'update', 'adfs', '--label', 'ADFS'])).exitCode).toBe(0);
  });

  test('is a field of OpenID Connect', async () => {
    await harness.perform((work) => createProvider(work, { ...OIDC, trust_email: true }));

    expect((await cli(['providers', 'show', 'okta'])).stdout).toMatch(/trust email +yes/);
  });
});
