import { describe, expect, test } from 'vitest';
import { listSessions } from '#src/auth/list-sessions.ts';
import { lookUpSession } from '#src/auth/look-up-session.ts';
import { reactivateUser } from '#src/users/reactivate-user.ts';
import { revokeSessions } from '#src/users/revoke-sessions.ts';
import { setPassword } from '#src/users/set-password.ts';
import { suspendUser } from '#src/users/suspend-user.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenSession, givenUser, recorded, sessionsOf } from '#test/users/given-user.ts';

const harness = useRuntime();

async function givenTwoSignedIn() {
  const root = await givenUser(harness, 'root@example.com');
  const ada = await givenUser(harness, 'ada@example.com', { familyId: root.familyId });
  const tokens = [await givenSession(harness, ada.id), await givenSession(harness, ada.id)];
  await givenSession(harness, root.id);
  return { root, ada, tokens };
}

const isAlive = async (token = '') => (await lookUpSession(harness.runtime, token)) !== undefined;

describe('suspending', () => {
  test('ends the sessions of that user, and reactivating does not bring them back', async () => {
    const { root, ada, tokens } = await givenTwoSignedIn();
    const user = ada.email;

    await harness.perform((work) => suspendUser(work, { user }));
    await harness.perform((work) => reactivateUser(work, { user }));

    expect(await sessionsOf(harness, ada.id)).toEqual([]);
    expect(await Promise.all(tokens.map(isAlive))).toEqual([false, false]);
    expect(await sessionsOf(harness, root.id)).toHaveLength(1);
  });
});

describe('a new password', () => {
  test('ends every session', async () => {
    const { root, ada } = await givenTwoSignedIn();

    await harness.perform((work) => setPassword(work, { user: ada.id, password: 'quite another horse' }));

    expect(await sessionsOf(harness, ada.id)).toEqual([]);
    expect(await sessionsOf(harness, root.id)).toHaveLength(1);
  });

  test('spares the session it is changed in', async () => {
    const { ada } = await givenTwoSignedIn();
    const [first] = await sessionsOf(harness, ada.id);

    await harness.perform((work) =>
      setPassword(work, { user: ada.id, password: 'quite another horse', exceptSessionId: first }),
    );

    expect(await sessionsOf(harness, ada.id)).toEqual([first]);
  });
});

describe('revoking sessions', () => {
  test('ends them all, and is one event with the count', async () => {
    const { root, ada } = await givenTwoSignedIn();

    const { sessions } = await harness.perform((work) => revokeSessions(work, { user: ada.email }));

    expect(sessions).toBe(2);
    expect(await sessionsOf(harness, ada.id)).toEqual([]);
    expect(await sessionsOf(harness, root.id)).toHaveLength(1);
    expect((await recorded(harness, ada.id)).at(-1)).toEqual(['logout', { reason: 'revoked', sessions: 2 }]);
  });

  test('can spare one, and records nothing where there is none', async () => {
    const { ada } = await givenTwoSignedIn();
    const [first] = await sessionsOf(harness, ada.id);
    const revoke = () =>
      harness.perform((work) => revokeSessions(work, { user: ada.id, exceptSessionId: first }));

    expect(await revoke()).toMatchObject({ sessions: 1 });
    expect(await revoke()).toMatchObject({ sessions: 0 });

    expect(await sessionsOf(harness, ada.id)).toEqual([first]);
    expect((await recorded(harness, ada.id)).filter(([type]) => type === 'logout')).toHaveLength(1);
  });
});

describe('the list of sessions', () => {
  test('shows those that are not over, last used first', async () => {
    const { ada } = await givenTwoSignedIn();
    await givenSession(harness, ada.id);
    await givenSession(harness, ada.id);
    const [over = '', idle = '', used = '', unused = ''] = await sessionsOf(harness, ada.id);
    await harness.query(`update sessions set expires_at = now() where id = $1`, [over]);
    await harness.query(`update sessions set last_seen_at = now() - interval '3 hours' where id = $1`, [
      idle,
    ]);
    await harness.query(`update sessions set last_seen_at = now() - interval '1 hour' where id = $1`, [
      unused,
    ]);

    const rows = await harness.perform((work) => listSessions(work, { userId: ada.id, idleMinutes: 120 }));

    expect(rows.map(({ id }) => id)).toEqual([used, unused]);
    expect(rows[0]).toMatchObject({ provider: null, ipAddress: null, expiresAt: expect.any(Date) });
  });
});
