import { describe, expect, test } from 'vitest';
import { listAuditEvents } from '#src/audit/list-audit-events.ts';
import { createApiKey } from '#src/auth/create-api-key.ts';
import { issueAccessToken } from '#src/auth/issue-access-token.ts';
import { startSession } from '#src/auth/start-session.ts';
import { perform } from '#src/kernel/perform.ts';
import type { Work } from '#src/kernel/work.ts';
import { createFamily } from '#src/ledger/create-family.ts';
import { changeRole } from '#src/users/change-role.ts';
import { createUser } from '#src/users/create-user.ts';
import { deleteUser, previewDeletion } from '#src/users/delete-user.ts';
import { inviteUser } from '#src/users/invite-user.ts';
import { reactivateUser } from '#src/users/reactivate-user.ts';
import { suspendUser } from '#src/users/suspend-user.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenAccount, givenStatement } from '#test/support/given.ts';

const harness = useRuntime();

/** A family with one super admin, and whoever else is named. */
async function givenPeople(...others: [email: string, role: string][]) {
  return harness.perform(async (work) => {
    const { id: familyId } = await createFamily(work, { name: 'Smith', currency: 'USD' });
    await createUser(work, { familyId, email: 'root@example.com' });
    for (const [email, role] of others) await createUser(work, { familyId, email, role });
    return familyId;
  });
}

const emails = async () =>
  (await harness.query<{ email: string }>('select email from users order by email')).map(
    ({ email }) => email,
  );

const remove = (user: string, confirmation = user) =>
  harness.perform((work) => deleteUser(work, { user, confirmation }));

const isAnybodyWaiting = async () =>
  (
    await harness.query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
  ).length > 0;

describe('the last active super admin', () => {
  test.each<[string, (work: Work) => Promise<unknown>]>([
    ['suspended', (work) => suspendUser(work, { user: 'root@example.com' })],
    ['demoted', (work) => changeRole(work, { user: 'root@example.com', role: 'admin' })],
    ['deleted', (work) => deleteUser(work, { user: 'root@example.com', confirmation: 'root@example.com' })],
  ])('cannot be %s, even when a suspended one is left', async (_, act) => {
    await givenPeople(['ada@example.com', 'super_admin']);
    await harness.perform((work) => suspendUser(work, { user: 'ada@example.com' }));

    await expect(harness.perform(act)).rejects.toMatchObject({ code: 'forbidden' });
    await harness.perform((work) => reactivateUser(work, { user: 'ada@example.com' }));
    await harness.perform(act);
  });

  test('is waited for: nobody else is judged while one of two is going', async () => {
    await givenPeople(['ada@example.com', 'super_admin']);
    let second: Promise<unknown> = Promise.resolve();
    let settled = false;

    await harness.perform(async (work) => {
      await suspendUser(work, { user: 'root@example.com' });
      second = harness
        .perform((other) => suspendUser(other, { user: 'ada@example.com' }))
        .finally(() => (settled = true));
      second.catch(() => undefined);
      await expect.poll(async () => settled || isAnybodyWaiting(), { timeout: 10_000 }).toBe(true);
    });

    await expect(second).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('may have become one just now: what was read before the others were done does not count', async () => {
    await givenPeople(['ada@example.com', 'member']);
    let overtaken: Promise<unknown> = Promise.resolve();

    await harness.perform(async (work) => {
      await changeRole(work, { user: 'ada@example.com', role: 'super_admin' });
      await changeRole(work, { user: 'root@example.com', role: 'admin' });
      overtaken = suspend();
      overtaken.catch(() => undefined);
      await expect.poll(isAnybodyWaiting, { timeout: 10_000 }).toBe(true);
    });

    await expect(overtaken).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('is still there when two of them go at the same moment', async () => {
    await givenPeople(['ada@example.com', 'super_admin']);

    const outcomes = await Promise.allSettled(
      ['root@example.com', 'ada@example.com'].map((user) =>
        harness.perform((work) => suspendUser(work, { user })),
      ),
    );

    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });
});

const suspend = () => harness.perform((work) => suspendUser(work, { user: 'ada@example.com' }));
const reactivate = () => harness.perform((work) => reactivateUser(work, { user: 'ada@example.com' }));

describe('suspending', () => {
  test('twice, or reactivating somebody who is active, is refused', async () => {
    await givenPeople(['ada@example.com', 'member']);

    await expect(reactivate()).rejects.toMatchObject({ code: 'conflict' });
    await suspend();
    await expect(suspend()).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('deleting', () => {
  test('takes keys along and leaves the family to the others', async () => {
    const familyId = await givenPeople(['ada@example.com', 'member']);
    await harness.perform(async (work) => {
      const [user] = await work.sql<{ id: string }>(`select id from users where email = 'ada@example.com'`);
      await createApiKey(work, { userId: user?.id ?? '', name: 'k', scope: 'read' });
      await startSession(work, { userId: user?.id ?? '', lifetimeHours: 1 });
      await startSession(work, { userId: user?.id ?? '', lifetimeHours: 1 });
    });

    expect(await remove('ada@example.com')).toMatchObject({ apiKeys: 1, sessions: 2, takesFamily: false });
    expect(await emails()).toEqual(['root@example.com']);
    expect(await harness.query('select 1 from sessions')).toEqual([]);
    expect(await harness.query('select 1 from api_keys')).toEqual([]);
    expect(await harness.query('select id from families')).toEqual([{ id: familyId }]);
  });

  test('the last member takes the ledger along, and the preview says so before', async () => {
    await givenPeople();
    const { id: familyId } = await harness.perform((work) =>
      createFamily(work, { name: 'Jones', currency: 'EUR' }),
    );
    await harness.perform((work) => createUser(work, { familyId, email: 'bob@example.com' }));
    const account = await givenAccount(harness, { familyId });
    await givenStatement(harness, account, [['2026-01-02', '-1.00', 'coffee']]);

    const before = await harness.perform((work) => previewDeletion(work, { user: 'bob@example.com' }));
    expect(before).toMatchObject({ familyName: 'Jones', takesFamily: true, entries: 1 });
    await remove('bob@example.com');
    expect(await harness.query('select 1 from entries')).toEqual([]);
    expect(await harness.query('select name from families')).toEqual([{ name: 'Smith' }]);
  });

  test('oneself is refused', async () => {
    await givenPeople(['ada@example.com', 'super_admin']);
    const [ada] = await harness.query<{ id: string }>(`select id from users where email = 'ada@example.com'`);

    const going = perform(harness.runtime, { actor: { kind: 'web', userId: ada?.id } }, (work) =>
      deleteUser(work, { user: 'ada@example.com', confirmation: 'ada@example.com' }),
    );
    await expect(going).rejects.toMatchObject({ code: 'forbidden', message: 'Nobody can delete themselves' });
    const asked = perform(harness.runtime, { actor: { kind: 'web', userId: ada?.id } }, (work) =>
      previewDeletion(work, { user: 'ada@example.com' }),
    );
    await expect(asked).rejects.toMatchObject({ code: 'forbidden' });
    expect(await emails()).toContain('ada@example.com');
  });

  test('stays on record when the user is gone', async () => {
    await givenPeople(['ada@example.com', 'member']);
    const { user } = await remove('ada@example.com');

    const { items } = await harness.perform((work) => listAuditEvents(work, { userId: user.id, limit: 1 }));
    expect(items[0]).toMatchObject({
      eventType: 'user_deleted',
      metadata: { role: 'member', took_family: false },
    });
  });

  test.each(['', 'ADA@example.com', 'ada@example.co', 'ada@example.com.'])(
    'needs the exact email, not %j',
    async (confirmation) => {
      await givenPeople(['ada@example.com', 'member']);

      await expect(remove('ada@example.com', confirmation)).rejects.toMatchObject({ code: 'forbidden' });
      expect(await emails()).toContain('ada@example.com');
    },
  );
});

describe('what somebody has handed out', () => {
  test.each<[string, (work: Work) => Promise<unknown>]>([
    ['suspended', (work) => suspendUser(work, { user: 'ada@example.com' })],
    ['demoted', (work) => changeRole(work, { user: 'ada@example.com', role: 'admin' })],
    ['deleted', (work) => deleteUser(work, { user: 'ada@example.com', confirmation: 'ada@example.com' })],
  ])('is taken back when they are %s, and that is on record', async (_, act) => {
    const familyId = await givenPeople(['ada@example.com', 'super_admin']);
    const [ada] = await harness.query<{ id: string }>(`select id from users where email = 'ada@example.com'`);
    const invite = (email: string, userId?: string) =>
      perform(harness.runtime, { actor: { kind: 'web', userId } }, (work) =>
        inviteUser(work, { email, familyId, role: 'super_admin' }),
      );
    await invite('friend@example.com', ada?.id);
    await invite('colleague@example.com');

    await harness.perform(act);

    expect(await harness.query('select email from invitations')).toEqual([
      { email: 'colleague@example.com' },
    ]);
    const withdrawn = await harness.query(
      `select metadata->>'email' as email from audit_events where event_type = 'invitation_withdrawn'
       order by created_at offset $1`,
      [0],
    );
    expect(withdrawn.at(-1)).toEqual({ email: 'friend@example.com' });
  });

  test('is dead for good after a suspension: bearer tokens do not come back, keys do', async () => {
    const familyId = await givenPeople(['ada@example.com', 'member']);
    const [ada] = await harness.query<{ id: string }>(`select id from users where email = 'ada@example.com'`);
    const { apiKey, key } = await harness.perform((work) =>
      createApiKey(work, { userId: ada?.id ?? familyId, name: 'laptop', scope: 'read' }),
    );
    await issueAccessToken(harness.runtime, { keyId: apiKey.id, key });

    await harness.perform((work) => suspendUser(work, { user: 'ada@example.com' }));
    await harness.perform((work) => reactivateUser(work, { user: 'ada@example.com' }));

    expect(await harness.query('select 1 from access_tokens')).toEqual([]);
    expect(await harness.query('select 1 from api_keys where revoked_at is null')).toHaveLength(1);
  });

  test.each(['suspended', 'deleted'])('is no new key once they are %s', async (what) => {
    await givenPeople(['ada@example.com', 'member']);
    const [ada] = await harness.query<{ id: string }>(`select id from users where email = 'ada@example.com'`);
    const gone = ada?.id ?? '';
    await harness.query(
      what === 'deleted'
        ? 'delete from users where id = $1'
        : 'update users set suspended_at = now() where id = $1',
      [gone],
    );

    const creating = harness.perform((work) =>
      createApiKey(work, { userId: gone, name: 'late', scope: 'read' }),
    );

    await expect(creating).rejects.toMatchObject({ code: 'conflict' });
  });
});
