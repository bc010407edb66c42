import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createOidcConnector } from '#src/sso/connectors/oidc.ts';
import {
  CLIENT_ID,
  type FakeProvider,
  SUBJECT,
  seconds,
  startFakeProvider,
} from '#test/sso/support/fake-provider.ts';
import { oidcProvider, reasonOf, useAccess } from '#test/sso/support/providers.ts';
import { makeKey } from '#test/sso/support/signing-key.ts';

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider();
});
beforeEach(() => {
  fake.behave = {};
  fake.requests.length = 0;
});
afterAll(() => fake.close());

const access = useAccess();
const connect = (options: Parameters<typeof access>[0] = {}) =>
  createOidcConnector(oidcProvider(fake.issuer), access(options));

type Json = Record<string, unknown>;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

describe('a logout token names whose sessions end', () => {
  test.each<[string, Json, Json, { subject: string | null; sid: string | null }]>([
    ['by subject', {}, {}, { subject: SUBJECT, sid: null }],
    ['by session', { sub: undefined, sid: 's-1' }, {}, { subject: null, sid: 's-1' }],
    ['by both', { sid: 's-1' }, {}, { subject: SUBJECT, sid: 's-1' }],
    ['with a list of audiences', { aud: ['other', CLIENT_ID] }, {}, { subject: SUBJECT, sid: null }],
    ['without an end', { exp: undefined }, {}, { subject: SUBJECT, sid: null }],
    ['without a type', {}, { typ: undefined }, { subject: SUBJECT, sid: null }],
    ['with the general type', {}, { typ: 'JWT' }, { subject: SUBJECT, sid: null }],
    ['with the long type', {}, { typ: 'application/logout+jwt' }, { subject: SUBJECT, sid: null }],
  ])('%s', async (_name, claims, header, wanted) => {
    const notice = await connect().verifyLogoutToken(fake.logoutToken({ jti: 'once', ...claims }, header));

    expect(notice).toEqual({ issuer: fake.issuer, tokenId: 'once', expiresAt: expect.any(Date), ...wanted });
    expect(notice.expiresAt.getTime()).toBeGreaterThan(Date.now());
    expect(notice.expiresAt.getTime()).toBeLessThan(Date.now() + 700_000);
  });
});

describe('a logout token is refused when', () => {
  test.each<[string, Json, Json, string]>([
    ['another issuer made it', { iss: 'https://evil.example' }, {}, 'issuer_mismatch'],
    ['it is for others', { aud: ['other'] }, {}, 'audience_mismatch'],
    ['it is for nobody', { aud: undefined }, {}, 'audience_mismatch'],
    ['it has no time', { iat: undefined }, {}, 'issued_at_implausible'],
    ['it is old', { iat: seconds() - 3_600, exp: seconds() + 60 }, {}, 'issued_at_implausible'],
    ['it is from the future', { iat: seconds() + 600 }, {}, 'issued_at_implausible'],
    ['it has expired', { iat: seconds() - 200, exp: seconds() - 120 }, {}, 'token_expired'],
    ['its end is no time', { exp: 'soon' }, {}, 'claim_invalid'],
    ['it has no id', { jti: undefined }, {}, 'claim_invalid'],
    ['its id is endless', { jti: 'x'.repeat(256) }, {}, 'claim_invalid'],
    ['it names no event', { events: undefined }, {}, 'logout_token_invalid'],
    ['it names another event', { events: { other: {} } }, {}, 'logout_token_invalid'],
    ['its event is no object', { events: { [EVENT]: true } }, {}, 'logout_token_invalid'],
    ['it is an ID token', { nonce: 'a nonce' }, {}, 'logout_token_invalid'],
    ['it is of another type', {}, { typ: 'at+jwt' }, 'logout_token_invalid'],
    ['it wants something unknown', {}, { crit: ['x'] }, 'logout_token_invalid'],
    ['it names nobody', { sub: undefined }, {}, 'subject_missing'],
    ['its subject is no text', { sub: 7 }, {}, 'subject_invalid'],
    ['its session is no text', { sid: {} }, {}, 'subject_invalid'],
    ['it is not signed', {}, { alg: 'none' }, 'algorithm_refused'],
    ['it is signed with the secret', {}, { alg: 'HS256' }, 'algorithm_refused'],
    ['its key is not published', {}, { kid: 'nobody' }, 'signing_key_unknown'],
  ])('%s', async (_name, claims, header, reason) => {
    expect(await reasonOf(connect().verifyLogoutToken(fake.logoutToken(claims, header)))).toBe(reason);
  });

  test('another key made it', async () => {
    const stranger = makeKey();
    const token = fake.logoutToken({}, { kid: fake.key.jwk.kid }, stranger);

    expect(await reasonOf(connect().verifyLogoutToken(token))).toBe('signature_invalid');
  });

  test.each(['', 'x', 'a.b.c', 'a.b.c.d', 'e30.e30.', 'bnVsbA.bnVsbA.x'])(
    'it is no token: %s',
    async (token) => {
      expect(await reasonOf(connect().verifyLogoutToken(token))).toMatch(
        /^(logout_token_invalid|algorithm_refused)$/,
      );
    },
  );

  test('several keys could have made it', async () => {
    fake.behave = { keys: (usual) => [...usual, makeKey().jwk] };

    expect(await reasonOf(connect().verifyLogoutToken(fake.logoutToken({}, { kid: undefined })))).toBe(
      'signing_key_ambiguous',
    );
  });

  test('its key is too short', async () => {
    fake.behave = {
      keys: () => [
        {
          kty: 'RSA',
          kid: fake.key.jwk.kid,
          e: 'AQAB',
          n: 'u1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7onLRnrq0_IzW7yWR7QkrmBL7jTKEn5u-w',
        },
      ],
    };

    expect(await reasonOf(connect().verifyLogoutToken(fake.logoutToken()))).toBe('keys_invalid');
  });
});

describe('keys for logout tokens', () => {
  test('are kept for five minutes, and asked for again when they do not fit, but not all the time', async () => {
    let now = Date.now();
    const connector = connect({ now: () => new Date(now) });
    const keysAsked = () => fake.requests.filter((request) => request === 'GET /jwks').length;
    const unknown = () => reasonOf(connector.verifyLogoutToken(fake.logoutToken({}, { kid: 'nobody' })));
    const known = () => connector.verifyLogoutToken(fake.logoutToken());

    await known();
    await known();
    await unknown();
    await unknown();
    const atOnce = keysAsked();
    now += 11_000;
    await unknown();
    await unknown();
    const later = keysAsked();
    now += 301_000;
    await connector.verifyLogoutToken(
      fake.logoutToken({ iat: Math.floor(now / 1_000), exp: Math.floor(now / 1_000) + 60 }),
    );

    expect([atOnce, later, keysAsked()]).toEqual([1, 2, 3]);
  });

  test('are asked for only when everything else is right', async () => {
    const connector = connect();
    await connector.endSession({ postLogoutRedirectUri: 'http://localhost:3000/', state: 's' });
    fake.requests.length = 0;

    await reasonOf(connector.verifyLogoutToken(fake.logoutToken({ nonce: 'x' })));
    await reasonOf(connector.verifyLogoutToken(fake.logoutToken({ iss: 'https://evil.example' })));

    expect(fake.requests).toEqual([]);
  });
});
