import { describe, expect, test } from 'vitest';
import { createPasswordReset } from '#src/users/create-password-reset.ts';
import { verifyPassword } from '#src/users/password.ts';
import { reactivateUser } from '#src/users/reactivate-user.ts';
import { resetPassword } from '#src/users/reset-password.ts';
import { setPassword } from '#src/users/set-password.ts';
import { suspendUser } from '#src/users/suspend-user.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenSession, givenUser, PASSWORD, recorded, sessionsOf } from '#test/users/given-user.ts';

const harness = useRuntime();
const NEW_PASSWORD = 'an entirely new horse';

async function givenAda(facts = { password: PASSWORD }) {
  const { familyId } = await givenUser(harness, 'root@example.com');
  return givenUser(harness, 'ada@example.com', { familyId, ...facts });
}

const create = () => harness.perform((work) => createPasswordReset(work, { user: 'ada@example.com' }));

const reset = (token: string, password = NEW_PASSWORD) =>
  harness.perform((work) => resetPassword(work, { token, password }));

const digestOfAda = async () => {
  const [row] = await harness.query<{ password_digest: string | null }>(
    `select password_digest from users where email = 'ada@example.com'`,
  );
  return row?.password_digest ?? null;
};

const links = () => harness.query('select 1 from password_resets');

describe('a reset link', () => {
  test('sets a new password once, ends every session, and is on record', async () => {
    const { id } = await givenAda();
    await givenSession(harness, id);
    const { token } = await create();

    await reset(token);

    expect(await verifyPassword(NEW_PASSWORD, await digestOfAda())).toBe(true);
    expect(await sessionsOf(harness, id)).toEqual([]);
    await expect(reset(token, 'and yet another horse')).rejects.toMatchObject({ code: 'not_found' });
    expect((await recorded(harness, id)).slice(-2)).toEqual([
      ['password_reset_requested', {}],
      ['password_changed', { via: 'reset' }],
    ]);
  });

  test('works for one of two who use it at the same moment', async () => {
    await givenAda();
    const { token } = await create();

    const outcomes = await Promise.allSettled([reset(token), reset(token, 'and yet another horse')]);

    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('holds fifteen minutes', async () => {
    await givenAda();
    const { token } = await create();
    const [left] = await harness.query<{ minutes: number }>(
      'select round(extract(epoch from expires_at - now()) / 60)::integer as minutes from password_resets',
    );
    expect(left?.minutes).toBe(15);

    await harness.query('update password_resets set expires_at = now()');

    await expect(reset(token)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('stays good after a password that is refused', async () => {
    await givenAda();
    const { token } = await create();

    await expect(reset(token, 'short')).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(reset(token, 'ada@example.com')).rejects.toMatchObject({ code: 'validation_failed' });

    await reset(token);
  });

  test('is void after a newer one, a new password, and a suspension', async () => {
    const { id: user } = await givenAda();
    const first = await create();
    const second = await create();
    await expect(reset(first.token)).rejects.toMatchObject({ code: 'not_found' });

    await harness.perform((work) => setPassword(work, { user, password: 'set in between' }));
    await expect(reset(second.token)).rejects.toMatchObject({ code: 'not_found' });

    const third = await create();
    await harness.perform((work) => suspendUser(work, { user }));
    await harness.perform((work) => reactivateUser(work, { user }));
    await expect(reset(third.token)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is kept as a digest only', async () => {
    await givenAda();
    const { token } = await create();

    const stored = await harness.query<{ digest: Buffer }>('select digest from password_resets');
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(await harness.query('select * from audit_events'))).not.toContain(token);
    expect(stored[0]?.digest.toString('base64url')).not.toBe(token);
  });

  test('is not made for users without a password, suspended ones, and nobody', async () => {
    await givenAda({ password: PASSWORD });
    await harness.query(`update users set password_digest = null where email = 'ada@example.com'`);
    await expect(create()).rejects.toMatchObject({ code: 'conflict', message: /no password/ });

    await harness.query(
      `update users set password_digest = 'x', suspended_at = now() where email = 'ada@example.com'`,
    );
    await expect(create()).rejects.toMatchObject({ code: 'conflict', message: /suspended/ });

    await expect(
      harness.perform((work) => createPasswordReset(work, { user: 'nobody@example.com' })),
    ).rejects.toMatchObject({ code: 'not_found' });
    expect(await links()).toEqual([]);
  });

  test.each(['', 'nonsense', 'A'.repeat(43)])('is not %j', async (token) => {
    await givenAda();
    await create();

    await expect(reset(token)).rejects.toMatchObject({ code: 'not_found' });
    expect(await verifyPassword(PASSWORD, await digestOfAda())).toBe(true);
  });

  test('made while the user is being suspended does not outlive that', async () => {
    const { id: user } = await givenAda();
    let making: Promise<unknown> = Promise.resolve();

    await harness.perform(async (work) => {
      await suspendUser(work, { user });
      making = create();
      making.catch(() => undefined);
      await expect
        .poll(() =>
          harness.query(
            `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
          ),
        )
        .toHaveLength(1);
    });

    await expect(making).rejects.toMatchObject({ code: 'conflict' });
    expect(await links()).toEqual([]);
  });
});
