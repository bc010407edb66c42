import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  elsewhere,
  givenAcme,
  goThrough,
  isSignedIn,
  recorded,
  saying,
  signInThrough,
  snapshot,
} from '#test/http/federated.ts';
import { serve } from '#test/http/serve.ts';
import { type Visited, type Visitor, visit } from '#test/http/visitor.ts';
import {
  type FakeProvider,
  having,
  type Misbehaviour,
  startFakeProvider,
  without,
} from '#test/sso/support/fake-provider.ts';
import { makeKey } from '#test/sso/support/signing-key.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

let acme: FakeProvider;
beforeAll(async () => {
  acme = await startFakeProvider();
});
beforeEach(() => {
  acme.behave = saying({});
  acme.requests.length = 0;
});
afterEach(() => {
  acme.behave = {};
});
afterAll(() => acme.close());

interface Expected {
  status?: number;
  reason: string;
  before: unknown;
}

/** No session, nothing changed, one record with the reason, and a page that says the same reference. */
async function expectRefusal(visitor: Visitor, answer: Visited, { status = 403, reason, before }: Expected) {
  const failures = (await recorded(harness)).filter(({ event_type }) => event_type === 'login_failed');
  expect([answer.status, failures.map(({ metadata }) => metadata.reason)]).toEqual([status, [reason]]);
  expect(failures).toMatchObject([
    { provider: 'acme', request_id: answer.headers.get('x-request-id'), metadata: { reason } },
  ]);
  expect(answer.root.querySelector('main code')?.text).toBe(failures[0]?.request_id);
  expect(answer.root.querySelector('main p')?.text).toMatch(/^[A-Z].*\.$/);
  expect(answer.root.querySelector('a[href="/sessions/new"]')).not.toBeNull();
  expect(await isSignedIn(visitor)).toBe(false);
  expect(await snapshot(harness)).toEqual(before);
}

describe('a callback that nobody waits for is refused before anybody is asked', () => {
  const state = /state=[^&]*/;
  type Change = (back: string, visitor: Visitor) => string | Promise<string>;
  test.each<[string, Change, string?]>([
    ['without state', (back) => back.replace(state, '')],
    ['with another state', (back) => back.replace(state, `state=${'A'.repeat(43)}`)],
    ['with a state of another shape', (back) => back.replace(state, 'state=%00')],
    ['with two states', (back) => `${back}&state=${'A'.repeat(43)}`, 'callback_invalid'],
    [
      'of another browser',
      (back, visitor) => {
        visitor.cookies.clear();
        return back;
      },
    ],
    [
      'of another browser that has been here',
      async (back, visitor) => {
        visitor.cookies.clear();
        await visitor.get('/sessions/new');
        return back;
      },
    ],
    [
      'after ten minutes',
      async (back) => {
        await harness.query(`update pending_logins set expires_at = now() - interval '1 second'`);
        return back;
      },
    ],
    [
      'of a sign-in at another provider',
      async (back) => {
        await harness.query(`update pending_logins set provider = 'umbrella'`);
        return back;
      },
    ],
  ])('%s', async (_, change, reason = 'state_mismatch') => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const visitor = visit(served);
    const back = await goThrough(visitor, acme);
    const before = await snapshot(harness);
    const changed = await change(back, visitor);
    acme.requests.length = 0;

    const answer = await visitor.get(changed);

    await expectRefusal(visitor, answer, { reason, before });
    expect(acme.requests).toEqual([]);
  });

  test('a second time, on whichever process, and the first goes on', async () => {
    await givenAcme(harness, acme.issuer);
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    const visitor = visit(first);
    const back = await goThrough(visitor, acme);
    const other = elsewhere(visitor, second);
    await visitor.get(back);
    acme.requests.length = 0;

    const again = await other.get(back);

    expect([again.status, acme.requests]).toEqual([403, []]);
    expect([await isSignedIn(visitor), await isSignedIn(other)]).toEqual([true, false]);
  });

  test('when the provider was disabled meanwhile', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const visitor = visit(served);
    const back = await goThrough(visitor, acme);
    const before = await snapshot(harness);
    await harness.query('update sso_providers set enabled = false');
    acme.requests.length = 0;

    const answer = await visitor.get(back);

    await expectRefusal(visitor, answer, { reason: 'provider_disabled', before });
    expect(acme.requests).toEqual([]);
  });

  test.each([
    ['renamed', `update sso_providers set name = 'acme2'`, 'provider_disabled'],
    [
      'moved to another issuer',
      `update sso_providers set settings = settings || '{"issuer":"https://other.example"}'`,
      'state_mismatch',
    ],
  ])('when the provider was %s meanwhile, and nobody else hears of the code', async (_, change, reason) => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const visitor = visit(served);
    const back = await goThrough(visitor, acme);
    const before = await snapshot(harness);
    await harness.query(change);
    acme.requests.length = 0;

    const answer = await visitor.get(back);

    await expectRefusal(visitor, answer, { reason, before });
    expect(acme.requests).toEqual([]);
  });

  test('at the address of another provider', async () => {
    await givenAcme(harness, acme.issuer);
    await givenAcme(harness, acme.issuer, { name: 'umbrella' });
    await using served = await serve(harness.runtime);
    const visitor = visit(served);
    const back = await goThrough(visitor, acme, { name: 'umbrella' });
    const before = await snapshot(harness);
    acme.requests.length = 0;

    const answer = await visitor.get(back.replace('/umbrella/', '/acme/'));

    await expectRefusal(visitor, answer, { reason: 'state_mismatch', before });
    expect(acme.requests).toEqual([]);
  });

  test('when it says that the person or the provider refused', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    const visitor = visit(served);
    const back = await goThrough(visitor, acme);
    const before = await snapshot(harness);
    const text = encodeURIComponent('<script>alert(1)</script>');
    acme.requests.length = 0;

    const answer = await visitor.get(
      back.replace(/code=[^&]*/, `error=access_denied&error_description=${text}`),
    );

    await expectRefusal(visitor, answer, { reason: 'access_denied', before });
    expect(answer.text).not.toContain('alert(1)');
    expect(acme.requests).toEqual([]);
  });
});

const html = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');

describe('a provider that misbehaves', () => {
  test.each<[reason: string, status: number, what: string, Misbehaviour]>([
    ['issuer_mismatch', 403, 'names another issuer', { claims: having({ iss: 'https://evil.test' }) }],
    ['audience_mismatch', 403, 'means another application', { claims: having({ aud: 'other' }) }],
    ['nonce_mismatch', 403, 'answers another sign-in', { claims: having({ nonce: 'other' }) }],
    ['nonce_mismatch', 403, 'leaves the nonce out', { claims: without('nonce') }],
    ['algorithm_refused', 403, 'does not sign', { header: having({ alg: 'none' }) }],
    ['algorithm_refused', 403, 'signs with our secret', { header: having({ alg: 'HS256' }) }],
    ['token_expired', 403, 'is an hour late', { claims: having({ exp: 1_000_000_000 }) }],
    ['signing_key_unknown', 403, 'publishes no such key', { keys: () => [makeKey().jwk] }],
    ['subject_missing', 403, 'names nobody', { claims: without('sub') }],
    ['id_token_missing', 403, 'sends no ID token', { token: without('id_token') }],
    ['userinfo_subject_mismatch', 403, 'tells of somebody else', { userInfo: having({ sub: 'eve' }) }],
    ['email_unverified', 403, 'has not verified the email', { userInfo: having({ email_verified: false }) }],
    [
      'provider_failed',
      502,
      'fails',
      { routes: { '/token': (_, response) => void response.writeHead(500).end('oops') } },
    ],
    [
      'provider_not_json',
      502,
      'sends a page',
      { routes: { '/token': (_, response) => void html(response) } },
    ],
    ['provider_timeout', 502, 'never answers', { routes: { '/token': () => undefined } }],
  ])('%s (%d): %s', async (reason, status, _, behave) => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime, { loginTimeout: 500 });
    const before = await snapshot(harness);
    acme.behave = behave;

    const { visitor, answer } = await signInThrough(served, acme);

    await expectRefusal(visitor, answer, { status, reason, before });
    acme.behave = saying({});
    expect((await signInThrough(served, acme)).answer.status).toBe(303);
  });

  test.each<[string, Misbehaviour]>([
    ['discovery_issuer_missing', { discovery: without('issuer') }],
    ['discovery_issuer_mismatch', { discovery: having({ issuer: 'https://evil.test' }) }],
    [
      'provider_failed',
      { routes: { '/.well-known/openid-configuration': (_, r) => void r.writeHead(500).end() } },
    ],
    ['provider_timeout', { routes: { '/.well-known/openid-configuration': () => undefined } }],
  ])('%s before anybody is sent there', async (reason, behave) => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime, { loginTimeout: 500 });
    const before = await snapshot(harness);
    const visitor = visit(served);
    const page = await visitor.get('/sessions/new');
    acme.behave = behave;

    const answer = await visitor.submit(page, '/auth/acme');

    await expectRefusal(visitor, answer, { status: 502, reason, before });
  });

  test('and is named in the record together with who it said it was', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    acme.behave = saying({ email_verified: false });

    await signInThrough(served, acme);

    expect((await recorded(harness)).map(({ metadata }) => metadata)).toEqual([
      {
        method: 'openid_connect',
        reason: 'email_unverified',
        subject: 'ada-1815',
        email: 'ada@example.com',
      },
    ]);
  });

  test('does not hold up the sign-in at another one, or keys that it has changed', async () => {
    await givenAcme(harness, acme.issuer);
    await using served = await serve(harness.runtime);
    await signInThrough(served, acme);
    acme.key = makeKey();

    expect((await signInThrough(served, acme)).answer.status).toBe(303);
  });
});
