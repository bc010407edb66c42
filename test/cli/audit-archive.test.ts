import { once } from 'node:events';
import { appendFile, readdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFolderTarget } from '#src/audit/archive/targets/create-folder-target.ts';
import type { RetentionTier } from '#src/kernel/config.ts';
import { takeLease } from '#src/kernel/lease.ts';
import { expectAllKept } from '#test/audit/archive/ledger-of-events.ts';
import { daysAgo, givenEvents, recordedOf, storedIds, useArchive } from '#test/audit/archive/support.ts';
import { type CliOptions, runCli } from '#test/support/cli.ts';
import { SECRET_KEY_BASE, useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
const archives = useArchive(harness);

const financectl = (tier: RetentionTier, line: string, options: CliOptions = {}) =>
  runCli(line.split(' '), {
    runtime: archives.runtimeWith(tier),
    ...options,
    env: { DATABASE_URL: harness.databaseUrl, SECRET_KEY_BASE, ...options.env },
  });

const stateOf = async () => [
  await harness.query('select * from audit_events order by id'),
  await harness.query('select * from audit_archives order by day'),
  await harness.query('select * from audit_retention'),
  await harness.query('select * from job_leases'),
  await readdir(archives.folder, { recursive: true }),
];

/** As a superuser, or as what a backup brings back. */
async function withoutGuards(sql: string): Promise<void> {
  const client = await harness.runtime.pool.connect();
  await client.query(`begin; set local session_replication_role = replica; ${sql}; commit`);
  client.release();
}

const CRON_LINE = 'audit archive --quiet';

describe('the life of 400 days of audit log', () => {
  test('from tier to tier, damaged, found out, and restored', { timeout: 120_000 }, async () => {
    const days = Array.from({ length: 100 }, (_, index) => 400 - 4 * index);
    const ids = (
      await givenEvents(
        harness,
        days.map((ago) => daysAgo(ago)),
      )
    ).map(({ id }) => id);
    const yearOld = days.filter((ago) => Date.parse(daysAgo(ago)) < oneYearAgo()).length;

    expect(await financectl('extended', CRON_LINE)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    await expectAllKept(harness, archives.runtimeWith('extended'), ids);
    expect(await storedIds(harness)).toHaveLength(days.length - yearOld);
    expect(await recordedOf(harness, 'audit_archived')).toMatchObject([
      { tier: 'extended', removed_rows: yearOld },
    ]);

    const [late] = await givenEvents(harness, [daysAgo(401)]);
    if (late) ids.push(late.id);
    expect(await financectl('compliance', CRON_LINE)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    await expectAllKept(harness, archives.runtimeWith('compliance'), ids);
    expect(await financectl('compliance', 'audit archives verify --quiet')).toMatchObject({
      exitCode: 0,
      stderr: '',
    });

    const shorter = await financectl('standard', CRON_LINE);
    expect(shorter).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('kept to compliance') });
    await expectAllKept(harness, archives.runtimeWith('compliance'), ids);

    const listed = await financectl('compliance', 'audit archives list --json');
    const records: { day: string; file: string; manifest: string }[] = JSON.parse(listed.stdout);
    const [tampered, lost, rewritten] = [records[3], records[20], records[60]];
    if (!tampered || !lost || !rewritten) throw new Error('there are archives');
    const content = await readFile(join(archives.folder, tampered.file));
    content[content.length - 20] = (content.at(-20) ?? 0) ^ 1;
    await writeFile(join(archives.folder, tampered.file), content);
    const kept = await readFile(join(archives.folder, lost.file));
    await rm(join(archives.folder, lost.file));
    await appendFile(join(archives.folder, rewritten.manifest), ' ');

    const damaged = await financectl('compliance', 'audit archives verify --json');
    expect(damaged.exitCode).toBe(5);
    expect(JSON.parse(damaged.stdout)).toMatchObject({
      status: 'damaged',
      problems: [
        { code: 'file_changed', day: tampered.day, message: expect.stringContaining(tampered.file) },
        { code: 'file_missing', day: lost.day, message: expect.stringContaining(lost.file) },
        {
          code: 'manifest_changed',
          day: rewritten.day,
          message: expect.stringContaining(rewritten.manifest),
        },
      ],
    });

    await writeFile(join(archives.folder, lost.file), kept);
    const range = `--since ${records[5]?.day} --until ${records[8]?.day}`;
    const rehearsed = await financectl('compliance', `audit archives restore ${range} --dry-run --json`);
    expect(JSON.parse(rehearsed.stdout)).toMatchObject({ days: 3, restored: 3 });
    expect(await storedIds(harness)).toHaveLength(days.length - yearOld);
    const restored = await financectl('compliance', `audit archives restore ${range}`);
    expect(restored).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Brought back 3 events') });
    expect(await storedIds(harness)).toHaveLength(days.length + 3 - yearOld);
    expect(await recordedOf(harness, 'audit_restored')).toHaveLength(3);

    expect(await financectl('compliance', `audit archives restore ${range}`)).toMatchObject({
      stderr: expect.stringContaining('Brought back 0 events'),
    });
    expect(await financectl('compliance', CRON_LINE)).toMatchObject({ exitCode: 0 });
    expect(await storedIds(harness)).toHaveLength(days.length - yearOld);
  });

  test('ends after 90 days with standard', async () => {
    await givenEvents(
      harness,
      Array.from({ length: 400 }, (_, index) => daysAgo(400 - index)),
    );

    expect(await financectl('standard', CRON_LINE)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    const left = (await storedIds(harness)).length;
    expect([89, 90]).toContain(left);
    expect(await recordedOf(harness, 'audit_archived')).toMatchObject([{ removed_rows: 400 - left }]);
  });
});

function oneYearAgo(): number {
  const now = new Date();
  return now.setUTCFullYear(now.getUTCFullYear() - 1);
}

describe('audit archive', () => {
  test('tells programs what it has done', async () => {
    await givenEvents(harness, [daysAgo(401), daysAgo(400), daysAgo(100)]);
    const { stdout, exitCode } = await financectl('extended', 'audit archive --json');

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      status: 'ok',
      tier: 'extended',
      target: archives.folder,
      archived_days: 3,
      rows: 3,
      objects: Array.from({ length: 3 }, () => expect.stringMatching(/^\d{4}\/\d\d\/.*\.ndjson\.gz$/)),
      sha256: Array.from({ length: 3 }, () => expect.stringMatching(/^[0-9a-f]{64}$/)),
      from: `${daysAgo(401).slice(0, 10)}T00:00:00.000Z`,
      to: `${daysAgo(99).slice(0, 10)}T00:00:00.000Z`,
      deleted: 2,
      removed_before: expect.any(String),
      warnings: [],
      duration_ms: expect.any(Number),
    });
  });

  test('rehearses the same, and leaves database and folder as they are', async () => {
    await givenEvents(harness, [daysAgo(400), daysAgo(400), daysAgo(100)]);
    const before = await stateOf();
    const rehearsed = await financectl('extended', 'audit archive --json', { env: { DRY_RUN: 'true' } });

    expect(await stateOf()).toEqual(before);
    expect(JSON.parse(rehearsed.stdout)).toMatchObject({
      status: 'dry_run',
      archived_days: 2,
      rows: 3,
      deleted: 2,
    });
    expect(rehearsed.stderr).toContain('DRY RUN: nothing was saved');
    const done = await financectl('extended', 'audit archive --json');
    expect(JSON.parse(done.stdout)).toMatchObject({ archived_days: 2, rows: 3, deleted: 2 });
  });

  test('exits with 7 while another host is at it', async () => {
    const lease = await takeLease(harness.runtime, 'audit_retention');
    const { exitCode, stderr } = await financectl('standard', 'audit archive');
    await lease.release();

    expect(exitCode).toBe(7);
    expect(stderr).toMatch(/another process is at it \(audit_retention\) until \d{4}-/);
  });

  test('stops when its time is up, and goes on with the next run', async () => {
    const ids = (await givenEvents(harness, [daysAgo(400), daysAgo(399), daysAgo(398)])).map(({ id }) => id);
    const report = await archives.archive('extended', { maxRuntime: 0.001 });
    expect(report).toMatchObject({ status: 'time_is_up', deleted: 0 });
    expect(await financectl('extended', 'audit retention --json')).toMatchObject({
      stdout: expect.stringContaining('"last_success_at": null'),
    });

    await financectl('extended', 'audit archive --max-runtime 30m --batch-size 1');
    await expectAllKept(harness, archives.runtimeWith('extended'), ids);
    expect(await storedIds(harness)).toEqual([]);
  });

  test('stops between two steps when it is interrupted; what is done stands', async () => {
    const ids = (await givenEvents(harness, [daysAgo(400), daysAgo(399)])).map(({ id }) => id);
    const stop = new AbortController();
    const job = archives.job('extended', { signal: stop.signal });
    const { archiveAuditEvents } = await import('#src/audit/archive/archive-audit-events.ts');
    const watch = ({ name }: { name: string }) => {
      if (name === 'day_recorded') stop.abort('SIGINT');
    };
    await expect(archiveAuditEvents(job, { watch })).rejects.toBe('SIGINT');

    await expectAllKept(harness, archives.runtimeWith('extended'), ids);
    expect(await archives.archive('extended')).toMatchObject({ archives: [{ rows: 1 }], deleted: 2 });
  });

  test('keeps to the tier before unless somebody insists', async () => {
    await givenEvents(harness, [daysAgo(100)]);
    await financectl('extended', 'audit archive');
    const refused = await financectl('standard', 'audit archive');
    expect(refused).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('--shorten') });
    expect(await storedIds(harness)).toHaveLength(1);

    expect(await financectl('standard', 'audit archive --shorten')).toMatchObject({ exitCode: 0 });
    expect(await storedIds(harness)).toEqual([]);
  });

  test('warns of a clock that is ahead, and goes by the earlier one', async () => {
    const [event] = await givenEvents(harness, [daysAgo(80)]);
    const runtime = {
      ...archives.runtimeWith('standard'),
      now: () => new Date(Date.now() + 20 * 86_400_000),
    };
    const { stderr } = await financectl('standard', 'audit archive', { runtime });

    expect(stderr).toContain("ahead of the database's");
    expect(await storedIds(harness)).toEqual([event?.id]);
  });

  test('refuses a target that has lost what it had', async () => {
    await givenEvents(harness, [daysAgo(100)]);
    await financectl('extended', 'audit archive');
    await rm(archives.folder, { recursive: true });
    await givenEvents(harness, [daysAgo(99)]);

    expect(await financectl('extended', 'audit archive')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('does not have the last archive'),
    });
    expect(await storedIds(harness)).toHaveLength(2);
  });

  test('notices another target although the last archive was of a day long ago and has been pruned', async () => {
    await givenEvents(harness, [daysAgo(100)]);
    await financectl('extended', 'audit archive');
    await givenEvents(harness, [daysAgo(400)]);
    await financectl('extended', 'audit archive');
    await financectl('extended', 'audit prune --yes');
    await rm(archives.folder, { recursive: true });
    await givenEvents(harness, [daysAgo(99)]);

    expect(await financectl('extended', 'audit archive')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('does not have the last archive'),
    });
  });

  test('makes no database to find it empty', async () => {
    const { exitCode, stderr } = await runCli(['audit', 'archive', '--quiet'], {
      env: { DATA_DIR: archives.folder, SECRET_KEY_BASE },
    });
    expect(exitCode).toBe(5);
    expect(stderr).toContain('DATABASE_URL is not set');
    expect(await readdir(archives.folder)).toEqual([]);
  });

  test('removes nothing whose archive is gone or changed', async () => {
    await givenEvents(harness, [daysAgo(400)]);
    const { archives: made } = await archives.archive('extended', { keep: true });
    await appendFile(join(archives.folder, made[0]?.file ?? ''), 'x');

    expect(await financectl('extended', 'audit archive')).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('has been changed'),
    });
    expect(await storedIds(harness)).toHaveLength(1);
  });

  test.each(['--older-than 30d', '--batch-size 0', '--max-runtime soon'])(
    '%s is a usage error',
    async (flags) => {
      expect(await financectl('standard', `audit archive ${flags}`)).toMatchObject({ exitCode: 2 });
    },
  );
});

describe('audit prune', () => {
  test('asks, then removes what is past the time of its tier, and no more', async () => {
    await givenEvents(harness, [daysAgo(400), daysAgo(100)]);
    await financectl('extended', 'audit archive');
    expect(await financectl('extended', 'audit prune')).toMatchObject({ exitCode: 4 });
    const before = await stateOf();
    expect(await financectl('extended', 'audit prune --dry-run')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('Would remove 1 archives'),
    });
    expect(await stateOf()).toEqual(before);

    const pruned = await financectl('extended', 'audit prune --yes --json');
    expect(JSON.parse(pruned.stdout)).toMatchObject({
      days: 1,
      rows: 1,
      pruned: [{ day: daysAgo(400).slice(0, 10) }],
    });
    expect(await financectl('extended', 'audit archives verify')).toMatchObject({ exitCode: 0 });
    expect(await financectl('extended', 'audit prune')).toMatchObject({
      exitCode: 0,
      stderr: 'No archive is past its time\n',
    });
  });

  test.each([
    ['compliance', 'compliance'],
    ['compliance', 'extended'],
    ['extended', 'compliance'],
  ] as const)('keeps archives of %s while the setting says %s', async (made, now) => {
    await givenEvents(harness, [daysAgo(400)]);
    await financectl(made, 'audit archive');

    expect(await financectl(now, 'audit prune --yes')).toMatchObject({
      stderr: 'No archive is past its time\n',
    });
  });

  test('marks nothing as pruned in a target that is another', async () => {
    await givenEvents(harness, [daysAgo(400), daysAgo(100)]);
    await financectl('extended', 'audit archive');
    await rename(archives.folder, `${archives.folder}-unmounted`);

    const refused = await financectl('extended', 'audit prune --yes');
    await rename(`${archives.folder}-unmounted`, archives.folder);
    expect(refused).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('Is it mounted') });
    expect(await financectl('extended', 'audit archives list --quiet')).toMatchObject({
      stdout: expect.stringContaining(daysAgo(400).slice(0, 10)),
    });
  });

  test('leaves days of which the database has events', async () => {
    await givenEvents(harness, [daysAgo(400)]);
    await financectl('extended', 'audit archive --keep');
    expect(await financectl('extended', 'audit prune --yes')).toMatchObject({
      stderr: 'No archive is past its time\n',
    });
  });
});

describe('audit retention', () => {
  test('shows tiers, ages, archives and what is due', async () => {
    await givenEvents(harness, [daysAgo(400), daysAgo(100), daysAgo(1)]);
    const before = await financectl('extended', 'audit retention --json');
    expect(JSON.parse(before.stdout)).toMatchObject({
      tier: 'extended',
      last_tier: null,
      last_success_at: null,
      oldest_event_at: new Date(daysAgo(400)).toISOString(),
      events: { up_to_90_days: 1, up_to_1_year: 1, older: 1 },
      archives: { days: 0, from: null },
      due: { archive: 2, remove: 1, prune: 0 },
    });
    await financectl('extended', 'audit archive');

    const after = await financectl('extended', 'audit retention');
    expect(after.stdout).toMatch(/extended \(in force\)\s+1 year in the database/);
    expect(after.stdout).toMatch(/archived\s+2 days with 2 events/);
    expect(after.stderr).toContain('audit prune');
  });
});

describe('audit archives', () => {
  test('names what is not on record, and brings it back after an older backup was restored', async () => {
    const [old, young] = await givenEvents(harness, [daysAgo(400), daysAgo(100)]);
    await financectl('extended', 'audit archive');
    // The database as it was before anything was recorded, and before the second event.
    await withoutGuards('delete from audit_events; delete from audit_archives; delete from audit_retention');

    const verified = await financectl('extended', 'audit archives verify --json');
    expect(verified.exitCode).toBe(0);
    expect(JSON.parse(verified.stdout).notes.map(({ code }: { code: string }) => code)).toEqual(
      Array.from({ length: 6 }, () => 'not_on_record'),
    );
    expect(await financectl('extended', 'audit archives restore --all --from-target')).toMatchObject({
      exitCode: 0,
    });
    expect(await storedIds(harness)).toEqual([old?.id, young?.id]);

    await financectl('extended', 'audit archive');
    const again = await financectl('extended', 'audit archives verify --json');
    expect(JSON.parse(again.stdout)).toMatchObject({ status: 'ok', archives: 2, notes: [] });
  });

  test('closes no day without events that only a forgotten archive has', async () => {
    const [kept, forgotten] = await givenEvents(harness, [daysAgo(100), daysAgo(100, { microseconds: 1 })]);
    await financectl('extended', 'audit archive');
    await withoutGuards(`delete from audit_events where id <> '${kept?.id}'; delete from audit_archives`);

    expect(await financectl('extended', 'audit archive')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('with 2 events, which is not on record; the database has 1'),
    });
    await financectl('extended', 'audit archives restore --all --from-target');
    expect(await financectl('extended', 'audit archive')).toMatchObject({ exitCode: 0 });
    expect(await storedIds(harness)).toEqual([kept?.id, forgotten?.id]);
  });

  test('notice a record that is gone from the chain', async () => {
    await givenEvents(harness, [daysAgo(120), daysAgo(110), daysAgo(100)]);
    await financectl('extended', 'audit archive');
    await withoutGuards('delete from audit_archives where position in (2, 3)');
    const verified = JSON.parse((await financectl('extended', 'audit archives verify --json')).stdout);
    expect(verified.problems).toMatchObject([{ code: 'not_in_chain' }]);

    await withoutGuards('update audit_archives set rows = 7');
    const changed = JSON.parse((await financectl('extended', 'audit archives verify --json')).stdout);
    expect(changed.problems.map(({ code }: { code: string }) => code)).toContain('record_changed');
  });

  test('are missed by verify though the tier they were made under has ended, where the present one is longer', async () => {
    await givenEvents(harness, [daysAgo(400)]);
    const { archives: made } = await archives.archive('extended');
    await rm(join(archives.folder, made[0]?.file ?? ''));

    expect(await financectl('extended', 'audit archives verify')).toMatchObject({ exitCode: 0 });
    expect(await financectl('compliance', 'audit archives verify')).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('the archive is missing'),
    });
  });

  test('are all looked at, whatever has been put in the place of one', async () => {
    await givenEvents(harness, [daysAgo(120), daysAgo(110), daysAgo(100)]);
    const { archives: made } = await archives.archive('extended');
    const [first, second, third] = made.map(({ file }) => join(archives.folder, file));
    await rm(first ?? '');
    await symlink('/etc/passwd', first ?? '');
    await rm(second ?? '');
    const socket = createServer().listen(second ?? '');
    await once(socket, 'listening');
    await truncate(third ?? '', 2 ** 40);
    const planted = join(archives.folder, `${made[0]?.manifest.slice(0, 18)}-é.manifest.json`);
    await writeFile(planted, '{}');
    await writeFile(join(archives.folder, '2020-01-01-0123456789abcdef.manifest.json'), '{"day":5}');

    const { stdout } = await financectl('extended', 'audit archives verify --json');
    expect(JSON.parse(stdout).problems).toMatchObject([
      { code: 'not_readable' },
      { code: 'not_readable' },
      { code: 'file_changed' },
    ]);
    expect(JSON.parse(stdout).notes).toHaveLength(2);
    socket.close();
  });

  test('of two databases in one folder are noticed', async () => {
    await givenEvents(harness, [daysAgo(100)]);
    await financectl('extended', 'audit archive');
    // Another database, of the same day and more events.
    await withoutGuards(`delete from audit_events; delete from audit_archives; delete from audit_retention;
      update audit_log_identity set id = gen_random_uuid()`);
    const ids = (await givenEvents(harness, [daysAgo(100), daysAgo(100), daysAgo(95)])).map(({ id }) => id);

    expect(await financectl('extended', 'audit archive')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('archives of another database'),
    });
    expect(await storedIds(harness)).toEqual(ids.sort());
    const verified = await financectl('extended', 'audit archives verify --json');
    expect(verified.exitCode).toBe(5);
    expect(JSON.parse(verified.stdout).problems).toMatchObject([{ code: 'of_another_database' }]);
  });

  test('closes no day without the events of a forgotten archive, though there are as many', async () => {
    const [forgotten] = await givenEvents(harness, [daysAgo(100)]);
    await financectl('extended', 'audit archive');
    await withoutGuards('delete from audit_events; delete from audit_archives');
    const [other] = await givenEvents(harness, [daysAgo(100, { microseconds: 1 })]);

    expect(await financectl('extended', 'audit archive')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('and not all of those'),
    });
    await financectl('extended', 'audit archives restore --all --from-target');
    expect(await financectl('extended', 'audit archive')).toMatchObject({ exitCode: 0 });
    expect(await storedIds(harness)).toEqual([forgotten?.id, other?.id]);
  });

  test('of another database come back only into one that has none', async () => {
    const [event] = await givenEvents(harness, [daysAgo(100)]);
    await financectl('extended', 'audit archive');
    await withoutGuards(`delete from audit_events; delete from audit_archives;
      update audit_log_identity set id = gen_random_uuid()`);
    await financectl('extended', 'audit archives restore --all --from-target');
    expect(await storedIds(harness)).toEqual([event?.id]);

    await archives.archive('extended', { target: createFolderTarget(join(archives.folder, 'other')) });
    await withoutGuards('update audit_archives set day = day - 1');
    expect(await financectl('extended', 'audit archives restore --all --from-target')).toMatchObject({
      exitCode: 4,
    });
  });

  test('restore wants to know which days', async () => {
    expect(await financectl('extended', 'audit archives restore')).toMatchObject({ exitCode: 2 });
  });
});
