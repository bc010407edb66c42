import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkProvider } from '#src/sso/checks/check-provider.ts';
import type { ProviderReport } from '#src/sso/checks/provider-check.ts';
import type { OAuth2Provider, OidcProvider } from '#src/sso/providers/provider.ts';
import {
  type FakeProvider,
  having,
  type Misbehaviour,
  send,
  startFakeProvider,
  without,
} from '#test/sso/support/fake-provider.ts';
import { oauth2Provider, oidcProvider, useAccess } from '#test/sso/support/providers.ts';

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider();
});
beforeEach(() => {
  fake.behave = {};
});
afterAll(() => fake.close());

const access = useAccess();
const check = (changes: Partial<OidcProvider> = {}, options: Parameters<typeof access>[0] = {}) =>
  checkProvider(oidcProvider(fake.issuer, changes), access(options));
const summary = ({ checks }: ProviderReport) =>
  Object.fromEntries(checks.map(({ name, status }) => [name, status]));

const DOCUMENT = '/.well-known/openid-configuration';

describe('an OpenID provider', () => {
  test('that does everything right is fine', async () => {
    const report = await check();

    expect(report).toMatchObject({ ok: true, milliseconds: expect.any(Number) });
    expect(report.issuerToCopy).toBeUndefined();
    expect(summary(report)).toEqual({
      discovery: 'ok',
      json: 'ok',
      issuer: 'ok',
      endpoints: 'ok',
      code_flow: 'ok',
      pkce: 'ok',
      client_authentication: 'ok',
      user_info: 'ok',
      signing_algorithms: 'ok',
      keys: 'ok',
    });
    expect(report.checks[0]).toMatchObject({ httpStatus: 200, milliseconds: expect.any(Number) });
  });

  test.each<[string, Misbehaviour, string, string]>([
    [
      'does not answer well',
      { routes: { [DOCUMENT]: (_, response) => send(response, 503, {}) } },
      'discovery',
      'provider_failed',
    ],
    [
      'sends us elsewhere',
      {
        routes: {
          [DOCUMENT]: (_, response) => void response.writeHead(302, { location: 'https://x.example/' }).end(),
        },
      },
      'discovery',
      'provider_redirected',
    ],
    [
      'answers a page',
      { routes: { [DOCUMENT]: (_, response) => void response.end('<html>') } },
      'json',
      'provider_not_json',
    ],
    [
      'answers a list',
      { routes: { [DOCUMENT]: (_, response) => send(response, 200, []) } },
      'json',
      'discovery_invalid',
    ],
    ['names no issuer', { discovery: without('issuer') }, 'issuer', 'discovery_issuer_missing'],
    [
      'names another issuer',
      { discovery: having({ issuer: 'https://other.example' }) },
      'issuer',
      'discovery_issuer_mismatch',
    ],
    ['names no token endpoint', { discovery: without('token_endpoint') }, 'endpoints', 'discovery_invalid'],
    [
      'signs with nothing we accept',
      { discovery: having({ id_token_signing_alg_values_supported: ['HS256'] }) },
      'signing_algorithms',
      'algorithm_refused',
    ],
    ['has no keys', { keys: () => [] }, 'keys', 'keys_invalid'],
    [
      'has only keys that nobody can use',
      { keys: ([key]) => [{ ...key, use: 'enc' }, { kty: 'RSA', n: 'x' }, { kty: 'oct' }] },
      'keys',
      'keys_invalid',
    ],
    [
      'does not show its keys',
      { routes: { '/jwks': (_, response) => send(response, 404, {}) } },
      'keys',
      'provider_failed',
    ],
  ])('that %s fails', async (_name, behave, name, reason) => {
    fake.behave = behave;

    const report = await check();

    expect(report.ok).toBe(false);
    expect(report.checks.filter(({ status }) => status === 'fail')).toMatchObject([{ name, reason }]);
  });

  test.each<[string, Misbehaviour, string]>([
    ['codes', { discovery: having({ response_types_supported: ['id_token'] }) }, 'code_flow'],
    ['PKCE', { discovery: without('code_challenge_methods_supported') }, 'pkce'],
    [
      'the secret in the body',
      { discovery: without('token_endpoint_auth_methods_supported') },
      'client_authentication',
    ],
    ['user info', { discovery: without('userinfo_endpoint') }, 'user_info'],
  ])('that does not announce %s is warned about, and may be used', async (_name, behave, name) => {
    fake.behave = behave;

    const report = await check();

    expect(report.ok).toBe(true);
    expect(report.checks.filter(({ status }) => status === 'warn')).toMatchObject([{ name }]);
  });

  test('whose issuer has a slash at its end is told so, with the value to copy', async () => {
    fake.behave = { discovery: having({ issuer: `${fake.issuer}/` }) };

    const report = await check();

    expect(report.issuerToCopy).toBe(`${fake.issuer}/`);
    expect(report.checks.at(-1)).toEqual({
      name: 'issuer',
      status: 'fail',
      reason: 'discovery_issuer_slash',
      message: `The configured issuer differs from the published one by a slash at its end. Configure ${fake.issuer}/ instead.`,
      milliseconds: expect.any(Number),
    });
  });

  test.each([
    'javascript:alert(1)',
    'https://x.example/<script>',
    'https://x.example/\u001b[31m',
    `https://x.example/${'x'.repeat(3_000)}`,
  ])('never gets to suggest anything but an address: %s', async (issuer) => {
    fake.behave = { discovery: having({ issuer }) };

    const report = await check();

    expect(JSON.stringify(report)).not.toMatch(/alert|\\u001b|xxxxx/);
    expect(report.issuerToCopy ?? 'none').not.toMatch(/[^\x21-\x7e]/);
  });

  test('that takes too long costs the time of one check', async () => {
    fake.behave = { routes: { '/jwks': () => {} } };

    const report = await check({}, { loginTimeout: 200 });

    expect(report.checks.at(-1)).toMatchObject({ name: 'time', status: 'fail', reason: 'provider_timeout' });
    expect(report.milliseconds).toBeLessThan(1_000);
  });

  test('at an address that must not be contacted is not', async () => {
    const report = await checkProvider(oidcProvider('http://169.254.169.254'), access());

    expect(report.checks).toMatchObject([{ name: 'discovery', reason: 'provider_address_refused' }]);
  });

  test('is asked anew each time', async () => {
    const process = access();
    await checkProvider(oidcProvider(fake.issuer), process);
    fake.behave = { discovery: without('issuer') };

    expect(await checkProvider(oidcProvider(fake.issuer), process)).toMatchObject({ ok: false });
  });

  test('never sees the secret, and its report holds none', async () => {
    const report = await check({ clientSecret: 'hunter2' });

    expect(JSON.stringify(report)).not.toContain('hunter2');
    expect(fake.tokenRequests).toEqual([]);
  });
});

const checkOAuth2 = (changes: Partial<OAuth2Provider> = {}) =>
  checkProvider(oauth2Provider(fake.issuer, changes), access());
const redirect: NonNullable<Misbehaviour['routes']>[string] = (_, response) =>
  void response.writeHead(302, { location: '/login' }).end();

describe('an OAuth 2.0 provider', () => {
  test('whose addresses answer is fine', async () => {
    fake.behave = { routes: { '/authorize': redirect } };

    const report = await checkOAuth2();

    expect(report.ok).toBe(true);
    expect(summary(report)).toEqual({ authorization_url: 'ok', token_url: 'ok', user_info_url: 'ok' });
    expect(report.checks.find(({ name }) => name === 'user_info_url')).toMatchObject({ httpStatus: 401 });
  });

  test('is told which address is not', async () => {
    fake.behave = {
      routes: {
        '/authorize': redirect,
        '/userinfo': redirect,
        '/token': (_, response) => send(response, 500, {}),
      },
    };

    const report = await checkOAuth2({ emailsUrl: `${fake.issuer}/emails` });

    expect(report.ok).toBe(false);
    expect(summary(report)).toEqual({
      authorization_url: 'ok',
      token_url: 'fail',
      user_info_url: 'fail',
      emails_url: 'warn',
    });
  });

  test.each(['javascript:alert(1)', 'nonsense', 'https://user:word@x.example/'])(
    'has a wrong address: %s',
    async (tokenUrl) => {
      const { checks } = await checkOAuth2({ tokenUrl });

      expect(checks.find(({ name }) => name === 'token_url')).toMatchObject({
        status: 'fail',
        reason: 'provider_misconfigured',
      });
    },
  );
});
