import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readArchivedDay } from '#src/audit/archive/files/read-archived-day.ts';
import { listArchives } from '#src/audit/archive/list-archives.ts';
import { raiseTier } from '#src/audit/archive/retention/raise-tier.ts';
import { openTarget } from '#src/audit/archive/targets/open-target.ts';
import type { ArchiveTarget } from '#src/audit/archive/targets/target.ts';
import { verifyArchives } from '#src/audit/archive/verify-archives.ts';
import { sqlOn } from '#src/kernel/sql-on.ts';
import { daysAgo, givenEvents, recordedOf, storedIds, useArchive } from '#test/audit/archive/support.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
const archives = useArchive(harness);

describe('the tier that a server starts with', () => {
  test.each([
    ['extended', 'compliance', 'compliance'],
    ['compliance', 'extended', 'compliance'],
    ['extended', 'standard', 'extended'],
  ] as const)('%s, then %s: %s', async (before, next, kept) => {
    await raiseTier(sqlOn(harness.runtime.pool), before);
    await raiseTier(sqlOn(harness.runtime.pool), next);

    expect(await harness.query('select tier from audit_retention')).toEqual([{ tier: kept }]);
  });

  test('holds for the first run of the archive, which may have no settings', async () => {
    const [event] = await givenEvents(harness, [daysAgo(100)]);
    await raiseTier(sqlOn(harness.runtime.pool), 'compliance');

    await expect(archives.archive('standard')).rejects.toMatchObject({ code: 'conflict' });
    expect(await storedIds(harness)).toEqual([event?.id]);
  });
});

describe('audit archive', () => {
  test('standard removes what is older than 90 days, and archives nothing', async () => {
    const [, young] = await givenEvents(harness, [daysAgo(91), daysAgo(89)]);

    const report = await archives.archive('standard');

    expect(report).toMatchObject({ status: 'ok', target: null, archives: [], deleted: 1 });
    expect(await storedIds(harness)).toEqual([young?.id]);
    expect(await readdir(archives.folder)).toEqual([]);
    expect(await recordedOf(harness, 'audit_archived')).toEqual([
      { tier: 'standard', archived_days: 0, archived_rows: 0, removed_rows: 1, head: null },
    ]);
  });

  test.each(['extended', 'compliance'] as const)(
    '%s archives after 90 days, removes after a year',
    async (tier) => {
      const events = await givenEvents(harness, [
        daysAgo(400, { microseconds: 1 }),
        daysAgo(400),
        daysAgo(400),
        daysAgo(100),
        daysAgo(89),
      ]);

      const report = await archives.archive(tier);

      expect(report.archives.map(({ rows }) => rows)).toEqual([3, 1]);
      expect(report).toMatchObject({ deleted: 3, status: 'ok', warnings: [] });
      expect(await storedIds(harness)).toEqual(events.slice(3).map(({ id }) => id));
      const kept = await listArchives(sqlOn(harness.runtime.pool));
      expect(kept.map(({ day, position, tier }) => [day, position, tier])).toEqual([
        [daysAgo(400).slice(0, 10), 1, tier],
        [daysAgo(100).slice(0, 10), 2, tier],
      ]);
      const verification = await verifyArchives(archives.job(tier));
      expect(verification).toMatchObject({ archives: 2, rows: 4, problems: [], notes: [] });

      expect(await archives.archive(tier)).toMatchObject({ archives: [], deleted: 0 });
      expect(await recordedOf(harness, 'audit_archived')).toEqual([
        { tier, archived_days: 2, archived_rows: 4, removed_rows: 3, head: kept[1]?.manifestSha256 },
      ]);
    },
  );

  test('writes lines in order of time and id, with every field as it was', async () => {
    const [later, first] = await givenEvents(harness, [
      daysAgo(100, { microseconds: 123_456 }),
      daysAgo(100),
    ]);
    const report = await archives.archive('extended');

    const [archive] = report.archives;
    const file = join(archives.folder, archive?.file ?? '');
    const lines = gunzipSync(await readFile(file))
      .toString('utf8')
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        id: first?.id,
        created_at: daysAgo(100).replace('.000000Z', '+00:00'),
        event_type: 'login',
        user_id: null,
        actor_id: null,
        actor_kind: 'web',
        provider: 'okta',
        ip_address: null,
        user_agent: 'Größe "\\" 家',
        metadata: { method: 'saml', n: daysAgo(100) },
        request_id: null,
      },
      expect.objectContaining({
        id: later?.id,
        created_at: expect.stringContaining('12:00:00.123456+00:00'),
      }),
    ]);
    const batches = [];
    const target = await openTarget(archives.runtimeWith('extended').config);
    if (archive) for await (const events of readArchivedDay(target, archive)) batches.push(...events);
    expect(batches.map(({ id }) => id)).toEqual([first?.id, later?.id]);

    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700);
    expect(await readFile(`${file}.sha256`, 'utf8')).toBe(`${archive?.sha256}  ${file.split('/').at(-1)}\n`);
    expect(await readdir(join(archives.folder, '.tmp'))).toEqual([]);
  });

  test('records and removes nothing that is read back otherwise than it was stored', async () => {
    await givenEvents(harness, [daysAgo(400), daysAgo(400)]);
    const honest = await openTarget(archives.runtimeWith('extended').config);
    const forgetful: ArchiveTarget = {
      ...honest,
      open: async (path) => {
        const content = await buffer(await honest.open(path));
        return Readable.from([path.endsWith('.gz') ? gzipSync(gunzipSync(content), { level: 1 }) : content]);
      },
    };

    await expect(archives.archive('extended', { target: forgetful })).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('not what was stored'),
    });
    expect(await listArchives(sqlOn(harness.runtime.pool))).toEqual([]);
    expect(await storedIds(harness)).toHaveLength(2);
  });
});
