import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sqlOn } from '#src/kernel/sql-on.ts';
import type { ProviderAccess } from '#src/sso/provider-access.ts';
import { createProvider } from '#src/sso/providers/create-provider.ts';
import { deleteProvider } from '#src/sso/providers/delete-provider.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';
import { findParty, refreshParty } from '#src/sso/saml/find-party.ts';
import { keepMetadata, lookUpKnownMetadata } from '#src/sso/saml/metadata/known-metadata.ts';
import type { SamlParty } from '#src/sso/saml/saml-party.ts';
import { NAME_ID_FORMATS } from '#src/sso/saml/urns.ts';
import { fixture, SAML } from '#test/sso/given-provider.ts';
import { type MetadataServer, startMetadataServer } from '#test/sso/support/metadata-server.ts';
import { reasonOf, useAccess } from '#test/sso/support/providers.ts';
import { key, type MetadataParts, metadataXml } from '#test/sso/support/saml-metadata.ts';
import { samlProvider } from '#test/sso/support/saml-provider.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
const access = useAccess();

let server: MetadataServer;
let clock: Date;
beforeAll(async () => {
  server = await startMetadataServer();
});
beforeEach(() => {
  Object.assign(server, { xml: metadataXml(), redirects: {}, requests: [] });
  clock = new Date();
});
afterAll(() => server.close());

const later = (minutes: number) => {
  clock = new Date(clock.getTime() + minutes * 60_000);
};

/** A process of its own, on the same database. */
const process = (): ProviderAccess =>
  access({ database: sqlOn(harness.runtime.pool), now: () => clock, loginTimeout: 3_000 });

const given = (changes: Partial<SamlProvider> = {}) =>
  samlProvider({
    metadataUrl: server.url,
    entityId: undefined,
    ssoUrl: undefined,
    certificates: [],
    ...changes,
  });

const { emailAddress, persistent, transient, unspecified } = NAME_ID_FORMATS;

const OLD = [fixture('strong.crt')];
const NEW = [fixture('other.crt')];
const rotated = (parts: MetadataParts = {}) => metadataXml({ keys: [key('other.crt', 'signing')], ...parts });
const known = () => lookUpKnownMetadata(sqlOn(harness.runtime.pool), given().id);
const certificatesOf = ({ certificates }: SamlParty) => certificates;

describe('a provider with a metadata URL', () => {
  test('is what its metadata says, whatever that calls itself', async () => {
    expect(await findParty(given(), process())).toEqual({
      entityId: 'https://idp.example.com/metadata',
      ssoUrl: 'https://idp.example.com/sso',
      ssoBinding: 'redirect',
      nameIdFormat: NAME_ID_FORMATS.emailAddress,
      certificates: OLD,
      logoutUrl: 'https://idp.example.com/logout',
      logoutBinding: 'redirect',
      logoutResponseUrl: undefined,
    });
  });

  test('is what its settings say where they say something', async () => {
    const changes = {
      ssoUrl: 'https://idp.example.com/other',
      ssoBinding: 'post',
      certificates: NEW,
    } as const;

    expect(await findParty(given(changes), process())).toMatchObject({
      ...changes,
      entityId: 'https://idp.example.com/metadata',
      logoutUrl: 'https://idp.example.com/logout',
    });
  });

  test.each<[string, string[], string | undefined, string]>([
    ['offered before all others', [persistent, transient, emailAddress], undefined, emailAddress],
    ['persistent otherwise', [transient, unspecified, persistent], undefined, persistent],
    ['unspecified otherwise', [transient, unspecified], undefined, unspecified],
    ['an email address where nothing else would do', [transient], undefined, emailAddress],
    ['an email address where nothing is offered', [], undefined, emailAddress],
    ['the configured one before all', [emailAddress], 'urn:example:badge', 'urn:example:badge'],
  ])('is asked for %s', async (_, nameIdFormats, nameIdFormat, expected) => {
    server.xml = metadataXml({ nameIdFormats });

    expect(await findParty(given({ nameIdFormat }), process())).toMatchObject({ nameIdFormat: expected });
  });

  test('is asked once by logins at the same moment, and by nobody for 15 minutes', async () => {
    // Without a database, whose connections would come one after another.
    const one = access({ now: () => clock });

    await Promise.all([findParty(given(), one), findParty(given(), one), findParty(given(), one)]);
    later(14);
    await findParty(given(), one);

    expect(server.requests).toEqual(['/metadata']);
  });

  test('is asked again after 15 minutes, or earlier where it says so', async () => {
    const one = process();
    await findParty(given(), one);
    server.xml = rotated({ attributes: 'cacheDuration="PT5M"' });

    later(15);
    expect(certificatesOf(await findParty(given(), one))).toEqual(NEW);
    later(4);
    await findParty(given(), one);
    expect(server.requests).toHaveLength(2);
    later(1);
    await findParty(given(), one);
    expect(server.requests).toHaveLength(3);
  });

  test('is known to other processes, and after a restart', async () => {
    await findParty(given(), process());
    server.xml = undefined;

    expect(certificatesOf(await findParty(given(), process()))).toEqual(OLD);
    expect(server.requests).toHaveLength(1);
  });

  test('that another process has asked since is not asked again', async () => {
    const [one, other] = [process(), process()];
    await findParty(given(), one);
    server.xml = rotated();
    later(15);
    await findParty(given(), other);

    expect(certificatesOf(await findParty(given(), one))).toEqual(NEW);
    expect(server.requests).toHaveLength(2);
  });

  test('keeps the last good answer while it gives no better one, and is asked again after a minute', async () => {
    const one = process();
    await findParty(given(), one);
    const fetchedAt = clock;
    for (const xml of [
      undefined,
      'no metadata',
      metadataXml({ attributes: 'validUntil="2020-01-01T00:00:00Z"' }),
    ]) {
      server.xml = xml;
      later(15);
      expect(certificatesOf(await findParty(given(), one))).toEqual(OLD);
    }
    const asked = server.requests.length;

    expect(await known()).toMatchObject({ fetchedAt, checkedAt: clock, problem: 'metadata_expired' });
    await findParty(given(), one);
    expect(server.requests).toHaveLength(asked);
    server.xml = rotated();
    later(1);
    expect(certificatesOf(await findParty(given(), process()))).toEqual(NEW);
    expect(await known()).toMatchObject({ fetchedAt: clock, problem: undefined });
  });

  test('is not believed beyond the end that it has set itself', async () => {
    const until = new Date(clock.getTime() + 10 * 60_000).toISOString();
    server.xml = metadataXml({ attributes: `validUntil="${until}"` });
    const one = process();
    await findParty(given(), one);
    server.xml = undefined;

    later(9);
    expect(certificatesOf(await findParty(given(), one))).toEqual(OLD);
    later(1);
    expect(await reasonOf(findParty(given(), one))).toBe('provider_failed');
    expect(await reasonOf(findParty(given(), process()))).toBe('provider_failed');
    expect(await known()).toMatchObject({ problem: 'provider_failed' });
  });

  test('is somebody else under another address or entity id', async () => {
    const one = process();
    await findParty(given(), one);
    server.xml = rotated();

    expect(await reasonOf(findParty(given({ entityId: 'urn:other' }), one))).toBe('metadata_entity_mismatch');
    expect(certificatesOf(await findParty(given(), one))).toEqual(OLD);
    expect(certificatesOf(await findParty(given({ metadataUrl: `${server.url}?new` }), one))).toEqual(NEW);
  });

  test('is asked again when what is known of it was fetched by a clock that was ahead', async () => {
    const now = clock;
    later(60);
    await findParty(given(), process());
    server.xml = rotated();
    clock = now;

    expect(certificatesOf(await findParty(given(), process()))).toEqual(NEW);
  });

  test('is not set back by a process that knows it from earlier', async () => {
    const one = process();
    await findParty(given(), one);
    const earlier = await known();
    if (!earlier) throw new Error('nothing is known');
    server.xml = rotated();
    later(15);
    await findParty(given(), one);

    await keepMetadata(sqlOn(harness.runtime.pool), given().id, { ...earlier, checkedAt: clock });

    expect((await known())?.metadata.certificates).toEqual(NEW);
  });

  test('that cannot be asked at all does not stop settings that say everything', async () => {
    server.xml = undefined;
    const complete = samlProvider({ metadataUrl: server.url });

    expect(await findParty(complete, process())).toMatchObject({ certificates: complete.certificates });
    expect(await reasonOf(findParty(given(), process()))).toBe('provider_failed');
  });

  test('may lead on three times at its own origin, and nowhere else', async () => {
    server.redirects = { '/metadata': '/1', '/1': '/2', '/2': '/3' };
    expect(await findParty(given(), process())).toMatchObject({ certificates: OLD });

    server.redirects = { '/away': server.url.replace('127.0.0.1', 'localhost') };
    const away = given({ metadataUrl: server.url.replace('/metadata', '/away') });
    expect(await reasonOf(findParty(away, process()))).toBe('provider_redirected');
  });

  test('at an address of a metadata service of clouds is never contacted', async () => {
    const provider = given({ metadataUrl: 'http://169.254.169.254/latest' });

    expect(await reasonOf(findParty(provider, process()))).toBe('provider_address_refused');
  });

  test('takes what is known of it along when it is deleted', async () => {
    const { id } = await harness.perform((work) => createProvider(work, SAML));
    const provider = samlProvider({ id, metadataUrl: server.url });
    await findParty({ ...provider, entityId: undefined }, process());
    const policy = { localLogin: true, adminOverride: false, fileEntries: undefined };

    await harness.perform((work) => deleteProvider(work, { provider: id, policy }));

    expect(await harness.query('select provider from provider_metadata where provider = $1', [id])).toEqual(
      [],
    );
  });
});

describe('an answer signed by an unknown key', () => {
  test('has the metadata asked for out of turn, at most once a minute, for all such answers together', async () => {
    const one = process();
    const party = await findParty(given(), one);
    expect(await refreshParty(given(), one, party)).toBeUndefined();
    server.xml = rotated();

    expect(await refreshParty(given(), one, party)).toBeUndefined();
    expect(server.requests).toHaveLength(2);
    later(1);
    const found = await Promise.all([refreshParty(given(), one, party), refreshParty(given(), one, party)]);
    expect(found.map((each) => each?.certificates)).toEqual([NEW, NEW]);
    expect(server.requests).toHaveLength(3);
    // Who still holds the old party hears of the new one without a request.
    expect(await refreshParty(given(), one, party)).toMatchObject({ certificates: NEW });
    expect(server.requests).toHaveLength(3);
  });

  test('finds what another process has found already', async () => {
    const [one, other] = [process(), process()];
    const party = await findParty(given(), one);
    server.xml = rotated();
    later(1);
    await refreshParty(given(), other, party);

    expect(await refreshParty(given(), one, party)).toMatchObject({ certificates: NEW });
    expect(server.requests).toHaveLength(2);
  });

  test('finds nothing while the provider is away, or where the certificates are configured', async () => {
    const one = process();
    const party = await findParty(given(), one);
    server.xml = rotated();
    expect(await refreshParty(given({ certificates: OLD }), one, party)).toBeUndefined();
    expect(server.requests).toHaveLength(1);

    server.xml = undefined;
    expect(await refreshParty(given(), one, party)).toBeUndefined();
    expect(server.requests).toHaveLength(2);
  });
});
