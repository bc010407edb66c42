import { describe, expect, test } from 'vitest';
import { listAuditEvents } from '#src/audit/list-audit-events.ts';
import { createApiKey } from '#src/auth/create-api-key.ts';
import { revokeApiKey } from '#src/auth/revoke-api-key.ts';
import { perform } from '#src/kernel/perform.ts';
import { createFamily } from '#src/ledger/create-family.ts';
import { changeRole } from '#src/users/change-role.ts';
import { createUser } from '#src/users/create-user.ts';
import { reactivateUser } from '#src/users/reactivate-user.ts';
import { setPassword } from '#src/users/set-password.ts';
import { suspendUser } from '#src/users/suspend-user.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();

async function givenUser(email = 'ada@example.com', role = 'member') {
  return harness.perform(async (work) => {
    const { id: familyId } = await createFamily(work, { name: 'Smith', currency: 'USD' });
    return createUser(work, { familyId, email, role });
  });
}

const eventsOf = async (userId: string) =>
  (await harness.perform((work) => listAuditEvents(work, { userId, limit: 100 }))).items.toReversed();

describe('the audit log', () => {
  test('tells every change to a user in order, with who made it', async () => {
    const { id } = await givenUser();
    const user = id;
    await harness.perform((work) => suspendUser(work, { user, reason: 'lost laptop' }));
    await harness.perform((work) => reactivateUser(work, { user }));
    await harness.perform((work) => changeRole(work, { user, role: 'admin' }));
    await harness.perform((work) => changeRole(work, { user, role: 'admin' }));
    await harness.perform((work) => setPassword(work, { user, password: 'correct horse battery' }));
    const { apiKey } = await harness.perform((work) =>
      createApiKey(work, { userId: id, name: 'k', scope: 'read' }),
    );
    await harness.perform((work) => revokeApiKey(work, { id: apiKey.id }));
    await harness.perform((work) => revokeApiKey(work, { id: apiKey.id }));

    const events = await eventsOf(id);
    expect(events.map(({ eventType, metadata }) => [eventType, metadata])).toEqual([
      ['user_created', { role: 'member', family_id: expect.any(String) }],
      ['user_suspended', { reason: 'lost laptop' }],
      ['user_reactivated', {}],
      ['role_changed', { old: 'member', new: 'admin', reason: 'manual' }],
      ['password_changed', {}],
      ['api_key_created', { api_key_id: apiKey.id, name: 'k', scope: 'read' }],
      ['api_key_revoked', { api_key_id: apiKey.id, name: 'k' }],
    ]);
    expect(new Set(events.map(({ actorKind }) => actorKind))).toEqual(new Set(['system']));
  });

  test('names the actor and, from a terminal, the operating system user', async () => {
    const { id } = await givenUser();
    const actor = { kind: 'cli' as const, userId: id, osUser: 'ada' };
    await perform(harness.runtime, { actor }, (work) => changeRole(work, { user: id, role: 'admin' }));

    expect((await eventsOf(id)).at(-1)).toMatchObject({
      actorKind: 'cli',
      actorId: id,
      metadata: { os_user: 'ada', new: 'admin' },
    });
  });

  test('holds no password and no key', async () => {
    const { id } = await givenUser();
    const { key } = await harness.perform((work) =>
      createApiKey(work, { userId: id, name: 'k', scope: 'read' }),
    );
    await harness.perform((work) => setPassword(work, { user: id, password: 'correct horse battery' }));

    const everything = JSON.stringify(await harness.query('select * from audit_events'));
    expect(everything).not.toContain(key);
    expect(everything).not.toMatch(/correct horse|argon2/);
  });

  test('says nothing of what was rolled back', async () => {
    const { id } = await givenUser();
    await harness.perform((work) => suspendUser(work, { user: id }), { dryRun: true });

    expect((await eventsOf(id)).map(({ eventType }) => eventType)).toEqual(['user_created']);
  });

  test.each([
    'update audit_events set event_type = event_type',
    'delete from audit_events',
    'truncate audit_events',
  ])('cannot be rewritten: %s', async (sql) => {
    const { id } = await givenUser();

    await expect(harness.query(sql)).rejects.toMatchObject({ code: '23001' });
    expect(await eventsOf(id)).toHaveLength(1);
  });

  test('is filtered by type and time', async () => {
    const { id } = await givenUser();
    await harness.perform((work) => suspendUser(work, { user: id }));
    const list = async (filter: object) =>
      (await harness.perform((work) => listAuditEvents(work, { userId: id, limit: 9, ...filter }))).items;
    const [suspended, created] = await list({});

    expect(await list({ eventType: 'user_created' })).toMatchObject([{ id: created?.id }]);
    expect(await list({ since: suspended?.createdAt })).toMatchObject([{ id: suspended?.id }]);
    expect(await list({ until: suspended?.createdAt })).toMatchObject([{ id: created?.id }]);
    expect(await list({ limit: 1 })).toHaveLength(1);
  });
});
