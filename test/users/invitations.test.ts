import { describe, expect, test } from 'vitest';
import { acceptInvitation } from '#src/users/accept-invitation.ts';
import { inviteUser } from '#src/users/invite-user.ts';
import { listInvitations } from '#src/users/list-invitations.ts';
import { lookUpInvitation } from '#src/users/look-up-invitation.ts';
import { withdrawInvitation } from '#src/users/withdraw-invitation.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenUser, PASSWORD, recorded } from '#test/users/given-user.ts';

const harness = useRuntime();

async function givenInvitation({ role = 'admin' } = {}) {
  const { familyId } = await givenUser(harness, 'root@example.com', { family: 'Lovelace' });
  const invite = (email = 'bob@example.com') =>
    harness.perform((work) => inviteUser(work, { email, familyId, role }));
  return { familyId, invite, ...(await invite()) };
}

const accept = (token: string, password = PASSWORD) =>
  harness.perform((work) =>
    acceptInvitation(work, { token, firstName: 'Bob', lastName: 'Babbage', password }),
  );

const lookUp = (token: string) => harness.perform((work) => lookUpInvitation(work, { token }));

describe('an invitation', () => {
  test('makes the user in the family and the role it names', async () => {
    const { token, familyId, id } = await givenInvitation();

    expect(await lookUp(token)).toEqual({ email: 'bob@example.com', familyName: 'Lovelace' });
    const user = await accept(token);

    expect(user).toMatchObject({ email: 'bob@example.com', familyId, role: 'admin', firstName: 'Bob' });
    expect(user.passwordDigest).toContain('$argon2id$');
    expect(await recorded(harness, user.id)).toEqual([
      ['user_created', { role: 'admin', family_id: familyId, invitation: id }],
    ]);
    expect(await harness.perform(listInvitations)).toEqual([]);
  });

  test('works once, also for two who come at the same moment', async () => {
    const { token } = await givenInvitation();

    const outcomes = await Promise.allSettled([accept(token), accept(token)]);

    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await expect(accept(token)).rejects.toMatchObject({ code: 'not_found' });
    expect(await lookUp(token)).toBeUndefined();
  });

  test('stays good after a password that is refused', async () => {
    const { token } = await givenInvitation();

    await expect(accept(token, 'short')).rejects.toMatchObject({ code: 'validation_failed' });

    expect((await accept(token)).email).toBe('bob@example.com');
  });

  test('ends after seven days', async () => {
    const { token } = await givenInvitation();
    const [left] = await harness.query<{ days: number }>(
      `select round(extract(epoch from expires_at - now()) / 86400, 2)::float as days from invitations`,
    );
    expect(left?.days).toBe(7);

    await harness.query('update invitations set expires_at = now()');

    expect(await lookUp(token)).toBeUndefined();
    await expect(accept(token)).rejects.toMatchObject({ code: 'not_found' });
    expect(await harness.perform(listInvitations)).toMatchObject([{ isExpired: true }]);
  });

  test.each(['', 'nonsense', 'A'.repeat(43), '\0'.repeat(43)])('is not %j', async (token) => {
    await givenInvitation();

    expect(await lookUp(token)).toBeUndefined();
    await expect(accept(token)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('replaces an older one of the same address', async () => {
    const { token, invite } = await givenInvitation();

    const second = await invite('BOB@example.com');

    expect(await lookUp(token)).toBeUndefined();
    expect(await lookUp(second.token)).toBeDefined();
    expect(await harness.perform(listInvitations)).toMatchObject([
      { id: second.id, familyName: 'Lovelace', isExpired: false, inviterEmail: null },
    ]);
  });

  test('is taken back by address or id', async () => {
    const { token, id, invite } = await givenInvitation();
    const withdraw = (invitation: string) =>
      harness.perform((work) => withdrawInvitation(work, { invitation }));

    expect(await withdraw('Bob@Example.com')).toEqual({ id, email: 'bob@example.com' });
    await expect(accept(token)).rejects.toMatchObject({ code: 'not_found' });
    await expect(withdraw(id)).rejects.toMatchObject({ code: 'not_found' });
    await withdraw((await invite()).id);
    expect(await harness.perform(listInvitations)).toEqual([]);
  });

  test('goes when its address comes in another way', async () => {
    const { familyId } = await givenInvitation();

    await givenUser(harness, 'bob@example.com', { familyId });

    expect(await harness.perform(listInvitations)).toEqual([]);
  });

  test('is not for users, nor into families that are not there, nor with roles that are none', async () => {
    const { familyId } = await givenInvitation();
    const invite = (wanted: object) =>
      harness.perform((work) =>
        inviteUser(work, { email: 'eve@example.com', familyId, role: 'member', ...wanted }),
      );

    await expect(invite({ email: 'ROOT@example.com' })).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(invite({ email: 'eve' })).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(invite({ role: 'root' })).rejects.toMatchObject({ code: 'validation_failed' });
    for (const other of ['nonsense', '0198c000-0000-7000-8000-000000000000']) {
      await expect(invite({ familyId: other })).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  test('is on record, sent and withdrawn, and its secret is nowhere', async () => {
    const { token, id, familyId } = await givenInvitation();
    await harness.perform((work) => withdrawInvitation(work, { invitation: id }));

    const events = await harness.query(
      `select event_type, metadata from audit_events where metadata->>'invitation' = $1 order by created_at, id`,
      [id],
    );
    expect(events).toEqual([
      {
        event_type: 'user_invited',
        metadata: { invitation: id, email: 'bob@example.com', role: 'admin', family_id: familyId },
      },
      { event_type: 'invitation_withdrawn', metadata: { invitation: id, email: 'bob@example.com' } },
    ]);
    const stored = JSON.stringify(await harness.query('select * from audit_events'));
    expect(stored).not.toContain(token);
  });
});
