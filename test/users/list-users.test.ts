import { describe, expect, test } from 'vitest';
import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { createApiKey } from '#src/auth/create-api-key.ts';
import { revokeApiKey } from '#src/auth/revoke-api-key.ts';
import { findUserRow } from '#src/users/find-user-row.ts';
import { listUsers, type UserFilter } from '#src/users/list-users.ts';
import { suspendUser } from '#src/users/suspend-user.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenSession, givenUser, PASSWORD } from '#test/users/given-user.ts';

const harness = useRuntime();

const list = (filter: UserFilter & { page?: number; perPage?: number } = {}) =>
  harness.perform((work) => listUsers(work, { page: 1, perPage: 25, ...filter }));

const emailsOf = async (filter: UserFilter) => (await list(filter)).items.map(({ email }) => email);

async function givenThree() {
  const ada = await givenUser(harness, 'ada@example.com', {
    family: 'Lovelace',
    firstName: 'Ada',
    lastName: 'King',
    password: PASSWORD,
  });
  await givenUser(harness, 'b_b@example.com', { familyId: ada.familyId, role: 'admin' });
  await givenUser(harness, 'bob@example.com', { family: 'Smith', firstName: 'Ünal 100%' });
  await harness.perform((work) => suspendUser(work, { user: 'bob@example.com' }));
  return ada;
}

describe('the list of users', () => {
  test.each<[UserFilter, string[]]>([
    [{}, ['ada@', 'b_b@', 'bob@']],
    [{ search: 'ADA@EXAMPLE' }, ['ada@']],
    [{ search: ' ada king ' }, ['ada@']],
    [{ search: 'ünal' }, ['bob@']],
    [{ search: 'b_b' }, ['b_b@']],
    [{ search: '0%' }, ['bob@']],
    [{ search: '%' }, ['bob@']],
    [{ search: '_' }, ['b_b@']],
    [{ search: '\\' }, []],
    [{ search: '' }, ['ada@', 'b_b@', 'bob@']],
    [{ role: 'admin' }, ['b_b@']],
    [{ status: 'suspended' }, ['bob@']],
    [{ status: 'active' }, ['ada@', 'b_b@']],
    [{ method: 'password' }, ['ada@']],
    [{ method: 'none' }, ['b_b@', 'bob@']],
    [{ method: 'none', status: 'active' }, ['b_b@']],
    [{ role: '', status: '', method: '', familyId: '' }, ['ada@', 'b_b@', 'bob@']],
  ])('with %j', async (filter, expected) => {
    await givenThree();

    expect(await emailsOf(filter)).toEqual(expected.map((name) => `${name}example.com`));
  });

  test('keeps to one family', async () => {
    const { familyId } = await givenThree();

    expect(await emailsOf({ familyId })).toEqual(['ada@example.com', 'b_b@example.com']);
  });

  test.each<UserFilter>([{ role: 'root' }, { status: 'gone' }, { method: 'magic' }, { search: 'a\0b' }])(
    'refuses %j',
    async (filter) => {
      await expect(list(filter)).rejects.toMatchObject({ code: 'validation_failed' });
    },
  );

  test('comes page by page, and counts all of them on every page', async () => {
    await givenThree();

    const second = await list({ perPage: 2, page: 2 });
    expect(second.items.map(({ email }) => email)).toEqual(['bob@example.com']);
    expect(second).toMatchObject({ page: 2, perPage: 2, totalCount: 3 });
    expect(await list({ page: 9 })).toMatchObject({ items: [], page: 9, totalCount: 3 });
    expect(await list({ search: 'nobody' })).toMatchObject({ items: [], totalCount: 0 });
  });
});

describe('a row', () => {
  test('tells family, password, sessions, keys and the last sign-in', async () => {
    const { id, familyId } = await givenThree();
    await givenSession(harness, id);
    await givenSession(harness, id);
    await givenSession(harness, id);
    const [ended, idle] = await harness.query<{ id: string }>('select id from sessions');
    await harness.query(`update sessions set expires_at = now() where id = $1`, [ended?.id]);
    await harness.query(`update sessions set last_seen_at = now() - interval '1 hour' where id = $1`, [
      idle?.id,
    ]);
    await harness.perform(async (work) => {
      await createApiKey(work, { userId: id, name: 'in force', scope: 'read' });
      const { apiKey } = await createApiKey(work, { userId: id, name: 'revoked', scope: 'read' });
      await revokeApiKey(work, { id: apiKey.id });
      await createApiKey(work, { userId: id, name: 'over', scope: 'read' });
      await work.sql(`update api_keys set expires_at = now() where name = 'over'`);
      recordAuditEvent(work, 'login', { userId: id });
      await work.em.flush();
      recordAuditEvent(work, 'login_failed', { userId: id });
    });
    const [login] = await harness.query<{ created_at: string }>(
      `select created_at from audit_events where event_type = 'login'`,
    );

    const row = await harness.perform((work) => findUserRow(work, { user: 'ada@example.com' }));
    expect(row).toEqual({
      id,
      email: 'ada@example.com',
      firstName: 'Ada',
      lastName: 'King',
      role: 'super_admin',
      familyId,
      familyName: 'Lovelace',
      suspendedAt: null,
      createdAt: expect.any(Date),
      hasPassword: true,
      identityProviders: [],
      sessions: 2,
      apiKeys: 1,
      lastSignInAt: new Date(login?.created_at ?? ''),
    });
    const [listed, other] = (await list({ idleMinutes: 30 })).items;
    expect(listed).toEqual({ ...row, sessions: 1 });
    expect(other).toMatchObject({ hasPassword: false, sessions: 0, apiKeys: 0, lastSignInAt: null });
  });

  test('of nobody is not found', async () => {
    await expect(
      harness.perform((work) => findUserRow(work, { user: 'nobody@example.com' })),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});
