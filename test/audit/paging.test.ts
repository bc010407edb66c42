import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { listAuditEvents } from '#src/audit/list-audit-events.ts';
import { type AuditSnapshot, listUnseenAuditEvents } from '#src/audit/list-unseen-audit-events.ts';
import { perform } from '#src/kernel/perform.ts';
import { deleteUser } from '#src/users/delete-user.ts';
import { suspendUser } from '#src/users/suspend-user.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenUser } from '#test/users/given-user.ts';

const harness = useRuntime();

const INSERT = `insert into audit_events (id, created_at, event_type, user_id, actor_kind, provider, metadata)
values (gen_random_uuid(), $1, $2, $3, 'web', $4, '{}') returning id`;

/** An event of a time of its own about nobody else; answers with its id. */
async function givenEvent(
  userId: string,
  at: string,
  { type = 'login', provider }: { type?: string; provider?: string } = {},
): Promise<string> {
  const [row] = await harness.query<{ id: string }>(INSERT, [at, type, userId, provider ?? null]);
  return row?.id ?? '';
}

/** Looks as often as it is called, and remembers what it has seen. */
function follower(filter: { userId: string; eventType?: string }) {
  let seen: AuditSnapshot | undefined;
  return async (limit?: number) => {
    const unseen = await harness.perform((work) => listUnseenAuditEvents(work, { ...filter, seen, limit }));
    seen = unseen.seen;
    return unseen.items.map(({ id }) => id);
  };
}

describe('a page of the audit log', () => {
  test('leads on to older events, each exactly once, whatever is added meanwhile', async () => {
    const userId = randomUUID();
    // Microseconds, and several at the same one: neither may be skipped or doubled.
    const given = [];
    for (let i = 0; i < 7; i += 1) {
      given.push(await givenEvent(userId, `2026-03-01T00:00:00.00000${Math.floor(i / 3)}Z`));
    }

    const met: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await harness.perform((work) => listAuditEvents(work, { userId, limit: 2, cursor }));
      expect(page.items.length).toBeLessThanOrEqual(2);
      met.push(...page.items.map(({ id }) => id));
      cursor = page.next;
      await givenEvent(userId, new Date().toISOString());
    } while (cursor);

    expect(met).toHaveLength(7);
    expect(new Set(met)).toEqual(new Set(given));
  });

  test('is the last one when nothing is left, to the very event', async () => {
    const userId = randomUUID();
    await givenEvent(userId, '2026-03-01T00:00:00Z');
    await givenEvent(userId, '2026-03-02T00:00:00Z');

    const page = await harness.perform((work) => listAuditEvents(work, { userId, limit: 2 }));

    expect(page).toMatchObject({ items: [{}, {}], next: undefined });
  });

  test.each([
    '',
    'nonsense',
    Buffer.from(`2026-01-01 00:00:00+00 ${randomUUID()}x`).toString('base64url'),
    Buffer.from(`2026-99-01 00:00:00+00 ${randomUUID()}`).toString('base64url'),
    Buffer.from(`infinity ${randomUUID()}`).toString('base64url'),
    ...[
      '2026-02-31 00:00:00+00',
      '2026-01-01 24:00:01+00',
      '2026-01-01 00:00:00+99',
      '0000-01-01 00:00:00+00',
      '2026-01-01 00:00:00.1234567+00',
    ].map((time) => Buffer.from(`${time} ${randomUUID()}`).toString('base64url')),
  ])('is not to be had by the cursor %j', async (cursor) => {
    await expect(
      harness.perform((work) => listAuditEvents(work, { limit: 2, cursor })),
    ).rejects.toMatchObject({ code: 'validation_failed' });
  });

  test('names user and actor by email as long as they are there', async () => {
    const root = await givenUser(harness, 'root@example.com');
    const ada = await givenUser(harness, 'ada@example.com', { familyId: root.familyId });
    const asRoot = { actor: { kind: 'web' as const, userId: root.id } };
    const newest = async () =>
      (await harness.perform((work) => listAuditEvents(work, { userId: ada.id, limit: 1 }))).items;

    await perform(harness.runtime, asRoot, (work) => suspendUser(work, { user: ada.id }));
    expect(await newest()).toMatchObject([{ userEmail: ada.email, actorEmail: root.email }]);

    await perform(harness.runtime, asRoot, (work) =>
      deleteUser(work, { user: ada.id, confirmation: ada.email }),
    );
    expect(await newest()).toMatchObject([{ userId: ada.id, userEmail: null, actorEmail: root.email }]);
  });

  test('is filtered by provider and by who did it', async () => {
    const root = await givenUser(harness, 'root@example.com');
    const ada = await givenUser(harness, 'ada@example.com', { familyId: root.familyId });
    const okta = await givenEvent(ada.id, '2026-03-01T00:00:00Z', { provider: 'okta' });
    await perform(harness.runtime, { actor: { kind: 'web', userId: root.id } }, (work) =>
      suspendUser(work, { user: ada.id }),
    );
    const list = async (filter: object) =>
      (await harness.perform((work) => listAuditEvents(work, { userId: ada.id, limit: 9, ...filter }))).items;

    expect(await list({ provider: 'okta' })).toMatchObject([{ id: okta }]);
    expect(await list({ actorId: root.id })).toMatchObject([{ eventType: 'user_suspended' }]);
    expect(await list({ provider: 'okta', actorId: root.id })).toEqual([]);
  });
});

describe('following the audit log', () => {
  test('begins with the newest, oldest first, and goes on with what is new', async () => {
    const userId = randomUUID();
    await givenEvent(userId, '2026-03-01T00:00:00Z');
    const second = await givenEvent(userId, '2026-03-02T00:00:00Z');
    const third = await givenEvent(userId, '2026-03-03T00:00:00Z');
    const look = follower({ userId });

    expect(await look(2)).toEqual([second, third]);
    expect(await look()).toEqual([]);
    const now = new Date();
    const fourth = await givenEvent(userId, now.toISOString());
    await givenEvent(randomUUID(), now.toISOString());
    expect(await look()).toEqual([fourth]);
    expect(await look()).toEqual([]);
  });

  test('brings an event that is committed late, after newer ones, once', async () => {
    const userId = randomUUID();
    const look = follower({ userId });
    await look();
    const client = await harness.runtime.pool.connect();
    await client.query('begin');
    const dated = new Date(Date.now() - 60_000).toISOString();
    const { rows } = await client.query<{ id: string }>(INSERT, [dated, 'login', userId, null]);

    const newer = await givenEvent(userId, new Date().toISOString());
    const first = await look();
    await client.query('commit');
    client.release();

    expect(first).toEqual([newer]);
    expect(await look()).toEqual([rows[0]?.id]);
    expect(await look()).toEqual([]);
  });

  test('loses and doubles nothing while several write at once', async () => {
    const userId = randomUUID();
    const look = follower({ userId });
    const written: string[] = [];
    const write = async () => {
      for (let i = 0; i < 20; i += 1) {
        await harness.perform(async (work) => {
          const dated = new Date(Date.now() - Math.random() * 5_000).toISOString();
          const [row] = await work.sql<{ id: string }>(INSERT, [dated, 'login', userId, null]);
          await work.sql('select pg_sleep($1)', [Math.random() / 50]);
          written.push(row?.id ?? '');
        });
      }
    };

    const met: string[] = [];
    const writing = Promise.all([write(), write(), write()]);
    await expect.poll(async () => met.push(...(await look())), { interval: 5, timeout: 20_000 }).toBe(60);
    await writing;
    met.push(...(await look()));

    expect(met).toHaveLength(60);
    expect(new Set(met)).toEqual(new Set(written));
  });
});
