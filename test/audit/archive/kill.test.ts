import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { verifyArchives } from '#src/audit/archive/verify-archives.ts';
import { expectAllKept } from '#test/audit/archive/ledger-of-events.ts';
import { daysAgo, givenEvents, storedIds, useArchive } from '#test/audit/archive/support.ts';
import { SECRET_KEY_BASE, useRuntime } from '#test/support/database.ts';

const FINANCECTL = join(import.meta.dirname, '../../../bin/financectl');
const harness = useRuntime();
const archives = useArchive(harness);

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function startArchive(): ChildProcess {
  const child = spawn(FINANCECTL, ['audit', 'archive', '--quiet', '--batch-size', '3'], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: harness.databaseUrl,
      SECRET_KEY_BASE,
      AUDIT_RETENTION: 'compliance',
      AUDIT_ARCHIVE_URL: archives.folder,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  return child;
}

/** Kills the process at the nth thing that happens in the folder, wherever it is in its work then. */
async function killAt(child: ChildProcess, happenings: number): Promise<void> {
  let left = happenings;
  const watcher = watch(archives.folder, { recursive: true }, () => {
    left -= 1;
    if (left === 0) child.kill('SIGKILL');
  });
  const ended = once(child, 'exit');
  await ended;
  watcher.close();
}

test('kill -9 of the command at any moment loses and doubles nothing', async () => {
  const moments = [400, 399, 398, 380, 370, 120, 100, 95].flatMap((days) =>
    [0, 0, 1, 2, 3].map((microseconds) => daysAgo(days, { microseconds })),
  );
  const ids = (await givenEvents(harness, [...moments, daysAgo(3)])).map(({ id }) => id);
  const runtime = archives.runtimeWith('compliance');

  for (const happenings of [3, 20]) {
    await killAt(startArchive(), happenings);
    await expectAllKept(harness, runtime, ids);
    await harness.query(
      `update job_leases set expires_at = now() - interval '1 second' where owner is not null`,
    );
  }
  const last = startArchive();
  const [exitCode] = await once(last, 'exit');

  expect(exitCode).toBe(0);
  await expectAllKept(harness, runtime, ids);
  expect(await storedIds(harness)).toHaveLength(16);
  expect(await verifyArchives(archives.job('compliance'))).toMatchObject({
    archives: 8,
    problems: [],
    notes: [],
  });
});
