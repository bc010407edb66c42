import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '#config/env.ts';
import { migrate } from '#src/database/migrate.ts';
import { listMigrations } from '#src/database/migration-status.ts';
import { loadDemo } from '#src/demo/load-demo.ts';
import { createLog } from '#src/kernel/log.ts';
import { newId } from '#src/kernel/new-id.ts';
import type { Runtime } from '#src/kernel/work.ts';
import { createRuntime } from '#src/runtime.ts';
import { backUp, contentOf, forge, restoreTo } from '#test/backup/support.ts';
import { createDatabase, SECRET_KEY_BASE, useRuntime } from '#test/support/database.ts';
import { givenHousehold } from '#test/support/given.ts';

const log = createLog('silent', 2);
const source = useRuntime({}, { shared: true });

const opened: Runtime[] = [];
afterEach(async () => {
  for (const runtime of opened.splice(0)) await runtime.close();
});

async function open(url: string): Promise<Runtime> {
  const config = loadConfig({ DATABASE_URL: url, SECRET_KEY_BASE });
  const runtime = await createRuntime(config, { log, statementTimeout: 8_000, migrateFirst: false });
  opened.push(runtime);
  return runtime;
}

const newTarget = async (kind: 'empty' | 'migrated' = 'empty') => open(await createDatabase(kind));

const ask = (runtime: Runtime) => async (sql: string) => (await runtime.pool.query(sql)).rows;

/** The source as it is before the first test, and its backup. */
let everything: Buffer = Buffer.alloc(0);
let content: Record<string, string[]> = {};
beforeAll(async () => {
  await giveEverything();
  everything = await backUp(source.runtime);
  content = await contentOf(source);
});

/** A bit of everything the service can hold. */
async function giveEverything(): Promise<void> {
  const { users } = await source.perform((work) => loadDemo(work, { baseUrl: 'http://localhost' }));
  await source.query(
    `insert into sso_providers (id, name, strategy, label, enabled, settings, secrets, created_at, updated_at)
     values ('okta', 'okta', 'openid_connect', $1, true, $2, '{"client_secret": "v1.x"}', now(), now())`,
    ['tab\t, line\n, \\backslash, "quotes", \\.', JSON.stringify({ text: '\\N \u2028 ü 😀', n: 1e21 })],
  );
  await source.query(
    `insert into identities (id, user_id, provider, subject, groups, attributes, created_at)
     select $1, id, 'okta', 'sub', '["a", null]', '{}', '2026-01-02 03:04:05.678901+00' from users where email = $2`,
    [newId(), users[0]?.email],
  );
  await source.query(`insert into used_assertions values ('okta', 'a1', now() + interval '5 minutes')`);
  await source.query(`insert into rate_limits values ('someone', now(), now() + interval '1 minute', 3)`);
}

describe('a restored database', () => {
  test('holds what the other held, in every table', async () => {
    const target = await newTarget();

    const summary = await restoreTo(target, everything);

    expect(await contentOf({ query: ask(target) })).toEqual(content);
    const filled = Object.entries(content).filter(([, rows]) => rows.length > 0);
    expect(filled.map(([name]) => name)).toEqual(
      expect.arrayContaining(['transfers', 'rejected_transfers', 'identities', 'sso_providers']),
    );
    expect(summary.rows).toBe(Object.values(content).flat().length);
    expect(await ask(target)('select 1 from rate_limits')).toEqual([]);
    expect(
      await ask(target)(`select event_type, metadata->'rows' as rows from audit_events
      where event_type = 'backup_restored'`),
    ).toEqual([{ event_type: 'backup_restored', rows: summary.rows }]);
    expect(await ask(target)('select name from schema_migrations order by name')).toEqual(
      listMigrations().map((name) => ({ name })),
    );
  });

  test('guards its rows as before: triggers and foreign keys work', async () => {
    const target = await newTarget('migrated');

    await restoreTo(target, everything);

    const [family] = await ask(target)('select rejected_transfers_count as count from families');
    await ask(target)(
      'delete from rejected_transfers where id = (select id from rejected_transfers limit 1)',
    );
    expect(await ask(target)('select rejected_transfers_count as count from families')).toEqual([
      { count: family.count - 1 },
    ]);
    await expect(ask(target)('delete from audit_events')).rejects.toMatchObject({ code: '23001' });
    await expect(
      ask(target)(`insert into invitations
        values (gen_random_uuid(), 'a@b.c', gen_random_uuid(), 'member', sha256('x'), null, now(), now())`),
    ).rejects.toMatchObject({ code: '23503' });
  });

  test('continues its sequences', async () => {
    const target = await newTarget('migrated');
    const sequence = 'create sequence numbers increment by 5';
    await source.query(`${sequence}; select nextval('numbers'), nextval('numbers')`);
    await ask(target)(sequence);
    try {
      await restoreTo(target, await backUp(source.runtime));

      expect(await ask(target)(`select nextval('numbers')::integer as next`)).toEqual([{ next: 11 }]);
    } finally {
      await source.query('drop sequence numbers');
    }
  });

  test('is one moment of a database that goes on being written to', async () => {
    const counts = `select (select count(*)::integer from entries) as entries,
      (select count(*)::integer from transactions) as transactions`;
    const [before] = await source.query(counts);
    const writer = await source.runtime.pool.connect();
    await writer.query(`begin; with entry as (
        insert into entries (family_id, id, account_id, date, amount_cents, currency, name, source)
        select family_id, gen_random_uuid(), account_id, date, 5, currency, 'meanwhile', 'manual' from entries
        returning family_id, id)
      insert into transactions (family_id, id, entry_id, kind, created_at, updated_at)
        select family_id, gen_random_uuid(), id, 'standard', now(), now() from entry`);
    let writing: Promise<unknown> | undefined;
    const target = await newTarget();

    const file = await backUp(source.runtime, (table) => {
      // Entries are read long before transactions: half of this would be in, were it not for the snapshot.
      if (table === 'entries') writing = writer.query('commit');
    });
    await writing;
    writer.release();
    await restoreTo(target, file);

    expect(await source.query(counts)).not.toEqual([before]);
    expect(await ask(target)(counts)).toEqual([before]);
  });
});

describe('a backup of another release', () => {
  test('is loaded as it was, then brought up to date', async () => {
    const url = await createDatabase('empty');
    await migrate(url, log, 'Migration20261121000000_audit');
    const older = await open(url);
    await ask(older)(`
      insert into families values (gen_random_uuid(), 'Old', 'EUR', true, false, 0, now(), now());
      insert into audit_events values (gen_random_uuid(), now(), 'login', null, null, 'web', null, null, null, '{}')`);
    const file = await backUp(older);
    const used = await newTarget('migrated');
    await ask(used)(
      `insert into families values (gen_random_uuid(), 'New', 'EUR', true, false, 0, now(), now())`,
    );
    for (const target of [await newTarget('empty'), used]) {
      const { migrated } = await restoreTo(target, file, { replace: true });

      expect(migrated).toEqual(listMigrations().slice(2));
      expect(await ask(target)('select name, founder_id from families')).toEqual([
        { name: 'Old', founder_id: null },
      ]);
      expect(await ask(target)('select event_type from audit_events order by created_at')).toEqual([
        { event_type: 'login' },
        { event_type: 'backup_restored' },
      ]);
      expect(await ask(target)('select name from schema_migrations order by name')).toEqual(
        listMigrations().map((name) => ({ name })),
      );
    }
    // The schema that was taken back and made anew takes everything again.
    await restoreTo(used, everything, { replace: true });
    expect(await contentOf({ query: ask(used) })).toEqual(content);
  });

  test('is refused when this release does not know what it has run', async () => {
    const file = await forge(everything, ({ header, content }) =>
      header.name === 'manifest.json'
        ? Buffer.from(content.toString().replace(/"Migration\d+_audit"/, '"Migration20990101000000_later"'))
        : undefined,
    );

    await expect(restoreTo(await newTarget(), file)).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('Migration20990101000000_later'),
    });
  });
});

describe('a database that is in use', () => {
  test('is left alone', async () => {
    const before = await contentOf(source);

    await expect(restoreTo(source.runtime, everything)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('users: 3'),
      hint: expect.stringContaining('--replace'),
    });
    expect(await contentOf(source)).toEqual(before);
  });

  test('is replaced at once: others see what was there until all of it is new', async () => {
    await source.query('delete from families');
    const { familyId } = await givenHousehold(source, { name: 'Newer' });
    const seen: unknown[] = [];
    const asking: Promise<unknown>[] = [];

    await restoreTo(source.runtime, everything, {
      replace: true,
      onProgress: () => {
        asking.push(source.query('select id from families').then((rows) => seen.push(rows)));
      },
    });
    await Promise.all(asking);

    const old = seen.filter((rows) => JSON.stringify(rows) === JSON.stringify([{ id: familyId }]));
    expect(old.length).toBeGreaterThan(3);
    expect(new Set(seen.map((rows) => JSON.stringify(rows))).size).toBeLessThanOrEqual(2);
    expect(await contentOf(source)).toEqual(content);
  });

  test('says when others do not let go of it', async () => {
    const other = new Client({ connectionString: source.databaseUrl });
    await other.connect();
    await other.query('begin; lock table users in row exclusive mode');
    const url = new URL(source.databaseUrl);
    url.searchParams.set('options', '-c lock_timeout=50ms');

    await expect(restoreTo(await open(url.href), everything, { replace: true })).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    await other.end();
  });

  test('a dry run does everything, and leaves nothing', async () => {
    const before = await contentOf(source);
    const events = () => source.query('select count(*) from audit_events');
    const eventsBefore = await events();

    const summary = await restoreTo(source.runtime, everything, { replace: true, dryRun: true });

    expect(summary.replaced).toMatchObject({ users: 3, families: 1 });
    expect(await contentOf(source)).toEqual(before);
    expect(await events()).toEqual(eventsBefore);
  });
});

describe('a role that is no superuser', () => {
  test('is told what it needs, and with that can restore', async () => {
    const role = `owner_${randomUUID().replaceAll('-', '')}`;
    const superuser = await newTarget();
    const database = new URL(superuser.config.database.url ?? '');
    await ask(superuser)(
      `create role ${role} login password 'secret'; grant all on schema public to ${role}`,
    );
    const target = await open(Object.assign(database, { username: role, password: 'secret' }).href);
    try {
      await expect(restoreTo(target, everything)).rejects.toMatchObject({
        code: 'configuration_invalid',
        hint: expect.stringContaining('grant set on parameter session_replication_role'),
      });
      await ask(superuser)(`grant set on parameter session_replication_role to ${role}`);
      await restoreTo(target, everything);

      expect(await contentOf({ query: ask(target) })).toEqual(content);
    } finally {
      await target.pool.query('select 1');
      await ask(superuser)(`drop owned by ${role} cascade; drop role ${role}`);
    }
  });
});
