import { describe, expect, test } from 'vitest';
import { createCipher } from '#src/kernel/cipher.ts';
import type { Work } from '#src/kernel/work.ts';
import { createFamily } from '#src/ledger/create-family.ts';
import { Identity } from '#src/sso/identities/identity.entity.ts';
import { tokenPlace } from '#src/sso/identities/token-place.ts';
import { createProvider } from '#src/sso/providers/create-provider.ts';
import { deleteProvider, previewProviderDeletion } from '#src/sso/providers/delete-provider.ts';
import { openProviderSource, type ProviderSource } from '#src/sso/providers/provider-source.ts';
import { checkKeys, rotateKeys } from '#src/sso/providers/rotate-keys.ts';
import { setProviderEnabled } from '#src/sso/providers/set-provider-enabled.ts';
import { type ProviderUpdate, updateProvider } from '#src/sso/providers/update-provider.ts';
import { createUser } from '#src/users/create-user.ts';
import { fixture, givenProvider, MARKER, OIDC, SAML } from '#test/sso/given-provider.ts';
import { SECRET_KEY_BASE, useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

const OPEN = { localLogin: true, adminOverride: false };
const CLOSED = { localLogin: false, adminOverride: false };
const OVERRIDE = { localLogin: false, adminOverride: true };

const source = (): Promise<ProviderSource> => openProviderSource(harness.runtime);

const update = (changes: ProviderUpdate['changes'], options: Partial<ProviderUpdate> = {}) =>
  harness.perform((work) => updateProvider(work, { provider: 'okta', changes, policy: OPEN, ...options }));

const dump = () =>
  harness
    .query('select row_to_json(p) as row from sso_providers p order by id')
    .then((rows) => JSON.stringify(rows));

const events = async () =>
  harness.query<{ event_type: string; provider: string; metadata: Record<string, unknown> }>(
    `select event_type, provider, metadata from audit_events where event_type like 'provider%' order by created_at, id`,
  );

/** The audit log cannot be emptied, so each test looks at what it adds. */
async function newEvents(act: () => Promise<unknown>) {
  const before = (await events()).length;
  await act();
  return (await events()).slice(before);
}

interface Person {
  email: string;
  role?: string;
  password?: string;
  providers?: string[];
}

async function givenPeople(...people: Person[]): Promise<void> {
  await harness.perform(async (work) => {
    const { id: familyId } = await createFamily(work, { name: 'Smith', currency: 'USD' });
    for (const { providers = [], role = 'member', ...person } of people) {
      const { id: userId } = await createUser(work, { familyId, role, ...person });
      for (const provider of providers) givenIdentity(work, userId, provider);
    }
  });
}

function givenIdentity(work: Work, userId: string, provider: string): Identity {
  return work.em.create(Identity, {
    userId,
    provider,
    subject: userId,
    issuer: null,
    email: null,
    groups: [],
    attributes: {},
    refreshToken: null,
    idToken: null,
    createdAt: work.now(),
    lastUsedAt: null,
  });
}

const disable = (options: Partial<ProviderUpdate> = {}) =>
  harness.perform((work) =>
    setProviderEnabled(work, { provider: 'okta', enabled: false, policy: OPEN, ...options }),
  );

const remove = (options: Partial<ProviderUpdate> = {}) =>
  harness.perform((work) => deleteProvider(work, { provider: 'okta', policy: OPEN, ...options }));

const withKey = <Result>(base: string, task: (work: Work) => Promise<Result>) => {
  const cipher = createCipher(undefined, () => base);
  return harness.perform((work) => task({ ...work, cipher }));
};

describe('a new provider', () => {
  test('is in use at once, in every process, and its secret is nowhere in the clear', async () => {
    const elsewhere = await source();
    expect(await elsewhere.list()).toEqual([]);

    await givenProvider(harness);

    expect(await elsewhere.list()).toMatchObject([{ name: 'okta', enabled: true, origin: 'database' }]);
    expect(await elsewhere.lookUpByName('okta')).toMatchObject({ provider: { clientSecret: MARKER } });
    expect(await elsewhere.lookUpById('okta')).toMatchObject({ name: 'okta' });
    expect(await elsewhere.lookUpByName('other')).toBeUndefined();
    expect(await dump()).not.toContain(MARKER);
  });

  test('is recorded with the names of its fields, never their secrets', async () => {
    const recorded = await newEvents(() => givenProvider(harness));

    expect(recorded).toMatchObject([
      { event_type: 'provider_created', provider: 'okta', metadata: { provider_id: 'okta' } },
    ]);
    expect(recorded[0]?.metadata.fields).toContain('client_secret');
    expect(JSON.stringify(recorded)).not.toContain(MARKER);
  });

  test.each([
    ['name', { name: 'okta', id: 'another' }],
    ['id', { name: 'another', id: 'okta' }],
  ])('cannot have the %s of another', async (field, fields) => {
    await givenProvider(harness);

    await expect(givenProvider(harness, fields)).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [expect.stringMatching(`^${field}: `)],
    });
  });

  test('with an expired certificate is refused', async () => {
    const creation = harness.perform((work) =>
      createProvider(work, { ...SAML, certificate: fixture('expired.crt') }),
    );

    await expect(creation).rejects.toMatchObject({ errors: ['certificate: expired on 2021-01-01'] });
  });
});

describe('an update', () => {
  test('changes what is given, says what changed, and keeps the secret that is left blank', async () => {
    await givenProvider(harness);

    const recorded = await newEvents(async () => {
      const { changed } = await update({ label: 'Sign in', client_secret: '', scopes: 'openid groups' });
      expect(changed.toSorted()).toEqual(['label', 'scopes']);
    });

    expect(await (await source()).lookUpByName('okta')).toMatchObject({
      provider: { label: 'Sign in', clientSecret: MARKER, scopes: ['openid', 'groups'] },
    });
    expect(recorded).toMatchObject([{ event_type: 'provider_updated', provider: 'okta' }]);
    expect(recorded[0]?.metadata).toEqual({
      provider_id: 'okta',
      fields: expect.arrayContaining(['label', 'scopes']),
    });
  });

  test('to what is there already writes and records nothing', async () => {
    await givenProvider(harness);
    const before = await dump();

    const recorded = await newEvents(() => update({ ...OIDC, client_secret: MARKER, enabled: 'true' }));

    expect(recorded).toEqual([]);
    expect(await dump()).toBe(before);
  });

  test('of the secret is recorded by name only', async () => {
    await givenProvider(harness);

    const recorded = await newEvents(() => update({ client_secret: 'another-planted-secret' }));

    expect(recorded).toMatchObject([{ metadata: { fields: ['client_secret'] } }]);
    expect(JSON.stringify(recorded) + (await dump())).not.toContain('another-planted-secret');
    expect(await (await source()).lookUpByName('okta')).toMatchObject({
      provider: { clientSecret: 'another-planted-secret' },
    });
  });

  test('takes away what is null', async () => {
    await givenProvider(harness, { group_attribute: 'teams' });

    await update({ group_attribute: null, client_secret: null });

    const entry = await (await source()).lookUpByName('okta');
    expect(entry?.provider).toMatchObject({ clientSecret: undefined, groupAttribute: undefined });
  });

  test('may give another name, and identities stay', async () => {
    await givenProvider(harness);

    await update({ name: 'company' });

    const found = await source();
    expect(await found.lookUpByName('okta')).toBeUndefined();
    expect(await found.lookUpByName('company')).toMatchObject({
      id: 'okta',
      provider: { clientSecret: MARKER },
    });
  });

  test.each<[string, ProviderUpdate['changes'], string]>([
    ['the id', { id: 'another' }, 'id: cannot be changed'],
    ['the strategy', { strategy: 'saml' }, 'strategy: cannot be changed'],
    ['the issuer into nothing', { issuer: '' }, 'issuer: must not be empty'],
    ['a field it does not have', { sso_url: 'https://x.example' }, 'sso_url: is not a field'],
    ['the name into that of another', { name: 'google' }, 'name: there is already'],
  ])('cannot change %s', async (_, changes, message) => {
    await givenProvider(harness);
    await givenProvider(harness, { name: 'google' });
    const before = await dump();

    await expect(update(changes)).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [expect.stringContaining(message)],
    });
    expect(await dump()).toBe(before);
  });

  test('made from an old view is a conflict', async () => {
    await givenProvider(harness);
    await update({ label: 'Second' }, { version: 1 });

    await expect(update({ label: 'Third' }, { version: 1 })).rejects.toMatchObject({ code: 'conflict' });
  });

  test('is possible although the certificate has expired since', async () => {
    await harness.perform((work) => createProvider(work, SAML));
    const expired = { certificate: fixture('expired.crt') };
    await harness.query(`update sso_providers set settings = settings || $1 where id = 'adfs'`, [
      JSON.stringify(expired),
    ]);

    await update({ label: 'Still there' }, { provider: 'adfs' });

    expect(await (await source()).lookUpByName('adfs')).toMatchObject({ label: 'Still there' });
    await expect(
      update({ certificate: fixture('expired.crt') + fixture('other.crt') }, { provider: 'adfs' }),
    ).rejects.toThrow('expired on');
  });

  test('of what is not there names what is', async () => {
    await givenProvider(harness);

    await expect(update({ label: 'x' }, { provider: 'otka' })).rejects.toMatchObject({
      code: 'not_found',
      hint: expect.stringContaining('okta'),
    });
  });
});

describe('the way in', () => {
  test('disabling and enabling are recorded, once', async () => {
    await givenProvider(harness);

    const recorded = await newEvents(async () => {
      await disable();
      await disable();
      await harness.perform((work) =>
        setProviderEnabled(work, { provider: 'okta', enabled: true, policy: OPEN }),
      );
    });

    expect(recorded.map(({ event_type }) => event_type)).toEqual(['provider_disabled', 'provider_enabled']);
  });

  test.each([
    ['disabled', disable],
    ['deleted', remove],
  ])('a provider is not %s while it is the only way in for somebody, unless forced', async (_, act) => {
    await givenProvider(harness);
    await givenPeople(
      { email: 'root@example.com', role: 'super_admin', password: 'correct horse battery' },
      { email: 'ada@example.com', providers: ['okta'] },
      { email: 'bob@example.com', providers: ['okta'], password: 'correct horse battery' },
    );
    const before = await dump();

    await expect(act()).rejects.toMatchObject({
      code: 'forbidden',
      message: 'okta is the only way in for ada@example.com',
    });
    await expect(act({ policy: CLOSED })).rejects.toThrow('ada@example.com, bob@example.com');
    expect(await dump()).toBe(before);
    await act({ force: true });
    expect(await dump()).not.toBe(before);
  });

  test('another provider is a way in only while it is enabled', async () => {
    await givenProvider(harness);
    await givenProvider(harness, { name: 'google', enabled: false });
    await givenPeople({ email: 'ada@example.com', providers: ['okta', 'google'] });

    await expect(disable()).rejects.toThrow('ada@example.com');
    await harness.query(`update sso_providers set enabled = true where id = 'google'`);
    await disable();
  });

  test.each([
    ['disabled', disable],
    ['deleted', remove],
  ])('a provider is never %s when no super admin could sign in any more', async (_, act) => {
    await givenProvider(harness);
    await givenPeople({
      email: 'root@example.com',
      role: 'super_admin',
      providers: ['okta'],
      password: 'correct horse battery',
    });

    await expect(act({ policy: CLOSED, force: true })).rejects.toThrow('no super admin could sign in');
    await act({ policy: OVERRIDE, force: true });
  });

  test('the last enabled provider stays while local login is off', async () => {
    await givenProvider(harness);

    await expect(disable({ policy: CLOSED })).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('AUTH_LOCAL_LOGIN_ENABLED'),
    });
    await givenProvider(harness, { name: 'google' });
    await disable({ policy: CLOSED });
  });

  test('an update that disables is held to the same', async () => {
    await givenProvider(harness);
    await givenPeople({ email: 'ada@example.com', providers: ['okta'] });

    await expect(update({ enabled: false })).rejects.toThrow('the only way in');
  });

  test('deleting disconnects, and says whom before', async () => {
    await givenProvider(harness);
    await givenPeople({ email: 'ada@example.com', providers: ['okta', 'google'] });

    expect(
      await harness.perform((work) => previewProviderDeletion(work, { provider: 'okta', policy: OPEN })),
    ).toEqual({
      id: 'okta',
      name: 'okta',
      linked: 1,
      stranded: ['ada@example.com'],
    });
    const recorded = await newEvents(() => remove({ force: true }));

    expect(recorded).toMatchObject([
      { event_type: 'provider_deleted', provider: 'okta', metadata: { unlinked: 1 } },
    ]);
    expect(await harness.query('select provider from identities')).toEqual([{ provider: 'google' }]);
    expect(await dump()).toBe('[]');
  });
});

describe('without the right key', () => {
  const WRONG = 'another secret key base of more than 32 characters';

  test('a provider is listed with the reason, and cannot be used', async () => {
    await givenProvider(harness);

    const cipher = createCipher(undefined, () => WRONG);
    const [entry] = await (await openProviderSource({ ...harness.runtime, cipher })).list();

    expect(entry?.provider).toBeUndefined();
    expect(entry?.problem).toMatch(/client_secret of okta.*another key/);
  });

  test('nothing is changed, neither by an update nor by a rotation', async () => {
    await givenProvider(harness);
    const before = await dump();
    const change = { provider: 'okta', changes: { client_secret: '', label: 'new' }, policy: OPEN };
    await expect(withKey(WRONG, (work) => updateProvider(work, change))).rejects.toMatchObject({
      errors: [expect.stringMatching(/^client_secret: must be given anew.*another key/)],
    });
    await expect(withKey(WRONG, rotateKeys)).rejects.toMatchObject({ code: 'configuration_invalid' });

    expect(await dump()).toBe(before);
  });

  test('a sealed value moved to another provider cannot be opened there', async () => {
    await givenProvider(harness);
    await givenProvider(harness, { name: 'google', client_secret: 'something else' });
    await harness.query(
      `update sso_providers set secrets = (select secrets from sso_providers where id = 'okta') where id = 'google'`,
    );

    expect(await (await source()).lookUpByName('google')).toMatchObject({
      problem: expect.stringContaining('moved'),
    });
  });

  test('a check counts what is current, older and unreadable', async () => {
    const rotated = createCipher(
      { primaryKeys: ['a new primary key'], salt: 'a salt of the test' },
      () => SECRET_KEY_BASE,
    );
    await givenProvider(harness);
    await harness.perform((work) => createProvider({ ...work, cipher: rotated }, { ...OIDC, name: 'newer' }));
    await withKey(WRONG, (work) => createProvider(work, { ...OIDC, name: 'lost' }));

    const report = await harness.perform((work) => checkKeys({ ...work, cipher: rotated }));

    expect(report).toEqual({
      current: 1,
      older: 1,
      unreadable: [expect.stringContaining('of lost in sso_providers')],
    });
  });
});

describe('a rotation', () => {
  test('encrypts secrets and tokens with the new key, once, and the old one is not needed after it', async () => {
    const key = { primaryKeys: ['a new primary key'], salt: 'a salt of the test' };
    const both = createCipher(key, () => SECRET_KEY_BASE);
    const fresh = createCipher(key, () => 'a lost secret key base that nobody has any more');
    await givenProvider(harness);
    await givenPeople({ email: 'ada@example.com', providers: ['okta'] });
    const place = await harness.perform(async (work) => {
      const identity = await work.em.findOneOrFail(Identity, { provider: 'okta' });
      const where = tokenPlace(identity.id, 'refresh_token');
      identity.refreshToken = work.cipher.seal('a refresh token', where);
      return where;
    });

    const rotate = () => harness.perform((work) => rotateKeys({ ...work, cipher: both }));
    expect([await rotate(), await rotate()]).toEqual([2, 0]);

    const entry = await (await openProviderSource({ ...harness.runtime, cipher: fresh })).lookUpByName(
      'okta',
    );
    expect(entry?.provider).toMatchObject({ clientSecret: MARKER });
    const [row] = await harness.query<{ token: string }>('select refresh_token as token from identities');
    expect(fresh.open(row?.token ?? '', place)).toBe('a refresh token');
  });

  test('changes nothing when it is a rehearsal', async () => {
    const both = createCipher(
      { primaryKeys: ['a new primary key'], salt: 'a salt of the test' },
      () => SECRET_KEY_BASE,
    );
    await givenProvider(harness);
    const before = await dump();

    expect(await harness.perform((work) => rotateKeys({ ...work, cipher: both }), { dryRun: true })).toBe(1);
    expect(await dump()).toBe(before);
  });
});
