import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { setProviderEnabled } from '#src/sso/providers/set-provider-enabled.ts';
import { givenAcme, isSignedIn, pressButton, recorded, useFakeProvider } from '#test/http/federated.ts';
import { givenPerson, serveWith, signIn } from '#test/http/people.ts';
import { recordingLog, serve } from '#test/http/serve.ts';
import { visit } from '#test/http/visitor.ts';
import { MARKER } from '#test/sso/given-provider.ts';

import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

const acme = await useFakeProvider();

const lastReason = async () => (await recorded(harness)).at(-1)?.metadata.reason;

const entry = (name: string, more: string) =>
  `  - { name: ${name}, strategy: openid_connect, client_id: finance, client_secret: ${MARKER}, ${more} }\n`;

describe('buttons', () => {
  test('of a file stand in its order, and one that cannot work is in the log, once and without secrets', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'finance-buttons-')), 'auth.yml');
    const issuer = `issuer: '${acme.issuer}'`;
    await writeFile(
      file,
      `providers:\n${entry('zeta', issuer)}${entry('broken', 'scopes: profile')}${entry('off', 'enabled: false')}${entry('alpha', issuer)}`,
    );
    const { log, lines } = recordingLog('warn');
    const { config } = harness.runtime;
    const sso = { ...config.sso, source: 'yaml', file } as const;
    await using served = await serve({ ...harness.runtime, log, config: { ...config, sso } });

    const page = await visit(served).get('/sessions/new');
    await visit(served).get('/sessions/new');

    expect(page.root.querySelectorAll('.providers button').map(({ text }) => text)).toEqual([
      'Zeta',
      'Alpha',
    ]);
    expect(lines.filter(({ event }) => event === 'provider_unusable')).toEqual([
      expect.objectContaining({
        level: 'warn',
        provider: 'broken',
        reason: expect.stringContaining(`${file}:3: issuer: must not be empty`),
      }),
    ]);
    expect(JSON.stringify(lines)).not.toContain(MARKER);
  });

  test('appear and go at the next request of every process', async () => {
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    const names = async () =>
      Promise.all(
        [first, second].map(async (served) => {
          const page = await visit(served).get('/sessions/new');
          return page.root.querySelectorAll('.providers button').map(({ text }) => text);
        }),
      );
    const none = await names();

    await givenAcme(harness, acme.issuer);
    const added = await names();
    await harness.perform((work) =>
      setProviderEnabled(work, { provider: 'acme', enabled: false, policy: harness.runtime.config.auth }),
    );

    expect([none, added, await names()]).toEqual([
      [[], []],
      [['Sign in with Acme'], ['Sign in with Acme']],
      [[], []],
    ]);
  });

  test('let the form lead to the provider and nowhere else without TLS', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);

    const policyOf = async (path: string) =>
      (await visit(served).get(path)).headers.get('content-security-policy') ?? '';

    expect(await policyOf('/sessions/new')).toContain(`form-action 'self' https: ${acme.issuer};`);
    expect(await policyOf('/password_reset')).toContain(`form-action 'self';`);
  });

  test('need the token of the form and come from here', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const visitor = visit(served);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };

    const answer = await visitor.send('/auth/acme', { method: 'POST', headers, body: '' });

    expect([answer.status, await harness.query('select 1 from pending_logins')]).toEqual([403, []]);
    expect(acme.requests).toEqual([]);
  });

  test('of a provider that went meanwhile lead to a sentence', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const visitor = visit(served);
    const page = await visitor.get('/sessions/new');
    await harness.query('update sso_providers set enabled = false');

    const answer = await visitor.submit(page, '/auth/acme');

    expect([answer.status, await lastReason()]).toEqual([403, 'provider_disabled']);
    expect((await visitor.send('/auth/nobody', { method: 'GET' })).status).toBe(405);
    expect((await visitor.get('/auth/nobody/callback?state=x')).status).toBe(404);
  });

  test('take the place of the password form while local login is off', async () => {
    await givenAcme(harness, acme.issuer);
    const auth = { localLogin: false, adminOverride: false };
    await using served = await serveWith(harness, { auth });

    const { root } = await visit(served).get('/sessions/new');

    expect(root.querySelector('form[action="/sessions"]')).toBeNull();
    expect(root.querySelector('form[action="/auth/acme"]')).not.toBeNull();
  });

  test.each(['//evil.test', 'https://evil.test/', '/\\evil.test', '/%09/evil.test', 'javascript:alert(1)'])(
    'do not lead on to %s',
    async (target) => {
      await givenAcme(harness, acme.issuer);
      await using served = await serve(harness.runtime);
      const visitor = visit(served);
      const page = await visitor.get('/sessions/new');
      const sent = await visitor.submit(page, '/auth/acme', { return_to: target });
      const { pathname, search } = acme.authorize(new URL(sent.location));

      expect((await visitor.get(pathname + search)).location).toBe('/');
    },
  );

  test('send the browser with everything a sign-in needs, afresh each time', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const visitor = visit(served);

    const sent = [await pressButton(visitor), await pressButton(visitor)].map(
      ({ location }) => new URL(location).searchParams,
    );

    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(new Set(sent.map((parameters) => parameters.get(name))).size).toBe(2);
    }
    expect(sent[0]?.get('redirect_uri')).toBe('http://localhost:3000/auth/acme/callback');
    const [row] = await harness.query<Record<string, unknown>>('select * from pending_logins');
    expect(JSON.stringify(row)).not.toContain(sent[0]?.get('state') ?? 'x');
  });
});

test('a file of providers that cannot be read costs the buttons, not the sign-in page', async () => {
  const sso = { ...harness.runtime.config.sso, source: 'yaml' as const, file: '/nowhere/auth.yml' };
  await using served = await serveWith(harness, { sso });
  const ada = await givenPerson(harness);

  const page = await visit(served).get('/sessions/new');

  expect([page.status, page.text.includes('cannot be offered')]).toEqual([200, true]);
  expect(await isSignedIn(await signIn(served, ada))).toBe(true);
});
