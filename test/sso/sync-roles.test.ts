import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openProviderSource } from '#src/sso/providers/provider-source.ts';
import { type SyncedRole, syncRoles } from '#src/sso/roles/sync-roles.ts';
import { givenPerson } from '#test/http/people.ts';
import { givenIdentity } from '#test/sso/given-identity.ts';
import { givenProvider } from '#test/sso/given-provider.ts';
import {
  type FakeProvider,
  having,
  SUBJECT,
  send,
  startFakeProvider,
} from '#test/sso/support/fake-provider.ts';
import { useAccess } from '#test/sso/support/providers.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });
const access = useAccess();
let fake: FakeProvider;

beforeEach(async () => {
  fake = await startFakeProvider();
});
afterEach(() => fake.close());

const RULES = {
  mappings: [
    { group: 'staff', role: 'member' },
    { group: 'board', role: 'admin' },
    { group: 'Board', role: 'super_admin' },
  ],
};

const givenAcme = (fields: Record<string, unknown> = {}) =>
  givenProvider(harness, {
    name: 'acme',
    issuer: fake.issuer,
    client_id: 'finance-app',
    client_secret: 'the client secret',
    role_mapping: RULES,
    ...fields,
  });

const givenAda = (identity: Partial<Parameters<typeof givenIdentity>[1]> = {}, role = 'member') =>
  givenPerson(harness, { role }).then(async (person) => {
    const identityId = await givenIdentity(harness, {
      userId: person.id,
      provider: 'acme',
      subject: SUBJECT,
      issuer: fake.issuer,
      ...identity,
    });
    return { ...person, identityId };
  });

const sync = async (user: string, wanted: { provider?: string; ask?: boolean } = {}): Promise<SyncedRole> => {
  const source = await openProviderSource(harness.runtime);
  const federation = { runtime: harness.runtime, source, access: access() };
  return syncRoles(federation, (task) => harness.perform(task), { user, ask: true, ...wanted });
};

const changes = () =>
  harness.query(
    `select user_id, provider, metadata from audit_events where event_type = 'role_changed'
     order by created_at, id offset (select count(*) from audit_events where event_type = 'role_changed' and created_at < now() - interval '1 hour')`,
  );

const roleOf = async (id: string) =>
  (await harness.query<{ role: string }>('select role from users where id = $1', [id]))[0]?.role;

describe('syncing a role', () => {
  test('takes the groups of the last sign-in where there is no refresh token, and says so', async () => {
    await givenAcme();
    const ada = await givenAda({ groups: ['staff', 'board'] });

    const synced = await sync(ada.email);

    expect(synced).toMatchObject({
      email: ada.email,
      provider: 'acme',
      old: 'member',
      new: 'admin',
      kept: false,
      from: 'last_sign_in',
      groups: ['staff', 'board'],
      saidAt: new Date('2026-01-02T03:04:05Z'),
    });
    expect(await roleOf(ada.id)).toBe('admin');
    expect(fake.requests).toEqual([]);
    expect((await changes()).at(-1)).toMatchObject({
      user_id: ada.id,
      provider: 'acme',
      metadata: { old: 'member', new: 'admin', reason: 'sso_groups' },
    });
  });

  test('asks the provider again with the refresh token, and keeps what comes', async () => {
    await givenAcme();
    const ada = await givenAda({ groups: ['staff'], refreshToken: 'the first one' });
    fake.behave = {
      claims: having({ groups: ['board'] }),
      token: having({ refresh_token: 'planted-next-token' }),
    };

    const synced = await sync(ada.email);

    expect(synced).toMatchObject({ new: 'admin', from: 'provider', groups: ['board'] });
    expect(fake.tokenRequests[0]?.form.get('refresh_token')).toBe('the first one');
    const [row] = await harness.query<{ refresh_token: string }>(
      'select groups, refresh_token, last_used_at from identities',
    );
    expect(row).toMatchObject({ groups: ['board'], last_used_at: '2026-01-02 03:04:05+00' });
    expect(row?.refresh_token).not.toContain('planted');
    fake.tokenRequests.length = 0;
    await sync(ada.email);
    expect(fake.tokenRequests[0]?.form.get('refresh_token')).toBe('planted-next-token');
  });

  test('asks nobody when it is only rehearsed', async () => {
    await givenAcme();
    const ada = await givenAda({ groups: ['board'], refreshToken: 'the first one' });

    expect(await sync(ada.email, { ask: false })).toMatchObject({ new: 'admin', from: 'last_sign_in' });
    expect(fake.requests).toEqual([]);
  });

  test('goes back to the last sign-in when the refresh token has ended', async () => {
    await givenAcme();
    const ada = await givenAda({ groups: ['board'], refreshToken: 'the first one' });
    fake.behave = { routes: { '/token': (_, response) => send(response, 400, { error: 'invalid_grant' }) } };

    expect(await sync(ada.email)).toMatchObject({ new: 'admin', from: 'last_sign_in' });
  });

  test('changes nothing when the provider does not answer, or answers about somebody else', async () => {
    await givenAcme();
    const ada = await givenAda({ groups: ['board'], refreshToken: 'the first one' });

    fake.behave = { routes: { '/token': (_, response) => send(response, 500, {}) } };
    await expect(sync(ada.email)).rejects.toMatchObject({ code: 'service_unavailable' });
    fake.behave = { claims: having({ sub: 'somebody else', groups: ['board'] }) };
    await expect(sync(ada.email)).rejects.toMatchObject({ code: 'conflict' });

    expect(await roleOf(ada.id)).toBe('member');
  });

  test('done twice changes and records once', async () => {
    await givenAcme();
    const ada = await givenAda({ groups: ['board'] });
    await sync(ada.email);
    const before = (await changes()).length;

    expect(await sync(ada.email)).toMatchObject({ old: 'admin', new: 'admin' });
    expect(await changes()).toHaveLength(before);
  });

  test('takes a role away that no group gives any more, but never from the last super admin', async () => {
    await givenAcme();
    const ada = await givenAda({ groups: ['staff'] }, 'super_admin');

    const kept = await sync(ada.email);
    await givenPerson(harness, { role: 'super_admin' });
    const taken = await sync(ada.email);

    expect(kept).toMatchObject({ old: 'super_admin', new: 'super_admin', kept: true });
    expect(taken).toMatchObject({ old: 'super_admin', new: 'member', kept: false });
  });

  test('leaves the role alone while there are no rules', async () => {
    await givenAcme({ role_mapping: undefined });
    const ada = await givenAda({ groups: ['board'] }, 'admin');

    expect(await sync(ada.email)).toMatchObject({ old: 'admin', new: 'admin' });
  });

  test('refuses somebody without a usable identity', async () => {
    await givenAcme({ enabled: false });
    const ada = await givenAda({ groups: ['board'] });
    const bob = await givenPerson(harness);

    await expect(sync(bob.email)).rejects.toMatchObject({ code: 'conflict' });
    await expect(sync(ada.email)).rejects.toMatchObject({ code: 'conflict' });
    await expect(sync(ada.email, { provider: 'nobody' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(sync('nobody@example.com')).rejects.toMatchObject({ code: 'not_found' });
    expect(await roleOf(ada.id)).toBe('member');
  });
});
