import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkProvider } from '#src/sso/checks/check-provider.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';
import { NAME_ID_FORMATS } from '#src/sso/saml/urns.ts';
import { fixture } from '#test/sso/given-provider.ts';
import { type MetadataServer, startMetadataServer } from '#test/sso/support/metadata-server.ts';
import { useAccess } from '#test/sso/support/providers.ts';
import { key, metadataXml, service } from '#test/sso/support/saml-metadata.ts';
import { samlProvider } from '#test/sso/support/saml-provider.ts';

let server: MetadataServer;
beforeAll(async () => {
  server = await startMetadataServer();
});
beforeEach(() => {
  Object.assign(server, { xml: metadataXml(), redirects: {}, requests: [] });
});
afterAll(() => server.close());

const access = useAccess();
const check = (changes: Partial<SamlProvider> = {}, options: Parameters<typeof checkProvider>[2] = {}) =>
  checkProvider(samlProvider(changes), access(), options);
const byMetadata = (changes: Partial<SamlProvider> = {}) =>
  check({ metadataUrl: server.url, entityId: undefined, ssoUrl: undefined, certificates: [], ...changes });

const { emailAddress: EMAIL, persistent: PERSISTENT, unspecified: UNSPECIFIED } = NAME_ID_FORMATS;

type Report = Awaited<ReturnType<typeof check>>;
const summary = ({ checks }: Report) => Object.fromEntries(checks.map(({ name, status }) => [name, status]));
const messageOf = ({ checks }: Report, name: string) => checks.find((each) => each.name === name)?.message;

const OWN = { privateKey: fixture('strong.key'), certificate: fixture('strong.crt') };

describe('a SAML provider', () => {
  test('that is configured field by field is fine without anybody being asked', async () => {
    const report = await check(OWN);

    expect(report).toMatchObject({ ok: true, milliseconds: expect.any(Number) });
    expect(summary(report)).toEqual({ certificates: 'ok', sso_url: 'ok', logout: 'ok', own_keys: 'ok' });
    expect(server.requests).toEqual([]);
  });

  test('that publishes its metadata is asked for it, anew each time', async () => {
    await byMetadata(OWN);
    const report = await byMetadata(OWN);

    expect(report.ok).toBe(true);
    expect(summary(report)).toEqual({
      metadata: 'ok',
      entity_id: 'ok',
      certificates: 'ok',
      sso_url: 'ok',
      logout: 'ok',
      own_keys: 'ok',
    });
    expect(server.requests).toHaveLength(2);
  });

  test.each<[string, string | undefined, Partial<SamlProvider>, Record<string, string>, string]>([
    ['does not answer', undefined, {}, { metadata: 'fail' }, 'provider_failed'],
    ['answers nonsense', 'nonsense', {}, { metadata: 'fail' }, 'metadata_invalid'],
    [
      'is somebody else',
      metadataXml(),
      { entityId: 'urn:other' },
      { entity_id: 'fail' },
      'metadata_entity_mismatch',
    ],
    [
      'has expired',
      metadataXml({ attributes: 'validUntil="2020-01-01T00:00:00Z"' }),
      {},
      { metadata: 'fail' },
      'metadata_expired',
    ],
  ])('whose metadata %s fails with the reason', async (_, xml, changes, expected, reason) => {
    server.xml = xml;

    const report = await byMetadata(changes);

    expect(report.ok).toBe(false);
    expect(summary(report)).toEqual(expected);
    expect(report.checks).toContainEqual(
      expect.objectContaining({ reason, milliseconds: expect.any(Number) }),
    );
  });

  test('whose metadata cannot be had is warned of when the settings say everything', async () => {
    server.xml = undefined;

    const report = await check({ metadataUrl: server.url });

    expect(report.ok).toBe(true);
    expect(summary(report)).toMatchObject({ metadata: 'warn', certificates: 'ok' });
  });

  test('whose metadata is not used as a whole is warned of, with what is left out', async () => {
    server.xml = metadataXml({ keys: [key('strong.crt', 'signing'), key('weak.crt', 'signing')] });

    const report = await byMetadata();

    expect(summary(report).metadata).toBe('warn');
    expect(messageOf(report, 'metadata')).toContain('2048 bits');
  });

  test.each<[string, string[], number | undefined, string, RegExp]>([
    ['have all expired', ['expired.crt'], undefined, 'fail', /expired on 2021-01-01/],
    ['have expired in part', ['expired.crt', 'strong.crt'], undefined, 'warn', /2 certificates.* 1 can be/],
    ['end within the days asked for', ['strong.crt'], 40_000, 'warn', /ends on 2\d\d\d-.*Ask the provider/],
    ['are fine', ['strong.crt', 'other.crt'], undefined, 'ok', /2 certificates/],
  ])('whose certificates %s', async (_, names, warnCertDays, status, message) => {
    const report = await check({ certificates: names.map(fixture) }, { warnCertDays });

    expect(summary(report).certificates).toBe(status);
    expect(messageOf(report, 'certificates')).toMatch(message);
    expect(report.ok).toBe(status !== 'fail');
  });

  test.each<[string, Partial<SamlProvider>, string, string, RegExp]>([
    ['a sign-in URL without TLS', { ssoUrl: 'http://idp.example.com' }, 'sso_url', 'warn', /plain http/],
    ['no logout URL', {}, 'logout', 'ok', /no logout URL/],
    [
      'a logout URL, but no key of ours',
      { logoutUrl: 'https://idp.example.com/slo' },
      'logout',
      'warn',
      /keygen/,
    ],
    [
      'an expired certificate of ours',
      { certificate: fixture('expired.crt') },
      'own_keys',
      'fail',
      /expired/,
    ],
    ['one to decrypt with', { decryptionCertificate: fixture('other.crt') }, 'own_keys', 'ok', /decryption/],
    ['signed requests', { ...OWN, signRequests: true }, 'request_signing', 'ok', /signed/],
    ['SHA-1', { allowSha1: true }, 'sha1', 'warn', /allow_sha1/],
    ['unasked sign-ins', { allowIdpInitiated: true }, 'idp_initiated', 'warn', /allow_idp_initiated/],
  ])('with %s hears of it', async (_, changes, name, status, message) => {
    const report = await check(changes);

    expect(summary(report)[name]).toBe(status);
    expect(messageOf(report, name)).toMatch(message);
  });

  test('that wants signed requests is warned of when they are not', async () => {
    server.xml = metadataXml({ wantsSignedRequests: true, logout: [] });

    expect(summary(await byMetadata())).toMatchObject({ request_signing: 'warn', logout: 'ok' });
    expect(summary(await byMetadata({ ...OWN, signRequests: true }))).toMatchObject({
      request_signing: 'ok',
    });
  });

  test.each<[string, string[], string | undefined, string | undefined]>([
    ['another', [EMAIL, PERSISTENT], UNSPECIFIED, 'warn'],
    ['that', [EMAIL, PERSISTENT], PERSISTENT, undefined],
    ['none', [], PERSISTENT, undefined],
    ['any, while none is configured', [PERSISTENT], undefined, undefined],
  ])('whose metadata offers %s, by its NameID format', async (_, nameIdFormats, nameIdFormat, status) => {
    server.xml = metadataXml({ nameIdFormats });

    const report = await byMetadata({ nameIdFormat });

    expect(summary(report).name_id_format).toBe(status);
    expect(report.ok).toBe(true);
  });

  test('is told nothing of what its metadata holds beside', async () => {
    server.xml = metadataXml({
      logout: [service('SingleLogoutService', 'HTTP-POST', 'https://user:planted-secret@idp.example.com')],
    });

    expect(JSON.stringify(await byMetadata())).not.toContain('planted-secret');
  });
});
