import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { daysAgo, givenEvents, storedIds, useArchive } from '#test/audit/archive/support.ts';
import { SECRET_KEY_BASE, useRuntime } from '#test/support/database.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const CRONTAB = readFileSync(join(ROOT, 'config/operation/crontab'), 'utf8');
const LINE = CRONTAB.split('\n').find((line) => line.startsWith('17 3 * * * ')) ?? '';

const harness = useRuntime();
const archives = useArchive(harness);

const folder = mkdtempSync(join(tmpdir(), 'finance-cron-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the shipped line as cron would, in this checkout and with these settings in its file; and tells what was logged. */
async function cron(settings: Record<string, string>) {
  const [file, logged] = [join(folder, 'settings.env'), join(folder, 'logged')];
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(file, lines.join(''), { mode: 0o600 });
  writeFileSync(join(folder, 'logger'), `#!/bin/sh\necho "$*" > '${logged}'\n`, { mode: 0o755 });

  const command = LINE.replace('17 3 * * * ', '')
    .replaceAll('/opt/finance', `'${ROOT}'`)
    .replaceAll('financectl audit', `financectl --config '${file}' audit`);
  const { stdout, stderr } = await run('/bin/sh', ['-c', command], {
    env: { PATH: `${folder}:/usr/bin:/bin` },
  });
  return { said: stdout + stderr, logged: existsSync(logged) && readFileSync(logged, 'utf8') };
}

const archivedDays = () =>
  readdirSync(archives.folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ndjson.gz'))
    .map((path) => path.match(/\d{4}-\d\d-\d\d/)?.[0]);

test('the shipped cron line archives and prunes in silence; told a shorter tier, it complains and removes nothing', async () => {
  const settings = {
    DATABASE_URL: harness.databaseUrl,
    SECRET_KEY_BASE,
    AUDIT_RETENTION: 'extended',
    AUDIT_ARCHIVE_URL: archives.folder,
  };
  const [, kept] = await givenEvents(harness, [daysAgo(400), daysAgo(100)]);

  expect(await cron(settings)).toEqual({ said: '', logged: false });
  // The older day is past the year of its tier, so that its archive went with the same run.
  const pruned = await harness.query('select day from audit_archives where pruned_at is not null');
  expect([pruned.length, archivedDays()]).toEqual([1, [daysAgo(100).slice(0, 10)]]);

  const wrong = await cron({ ...settings, AUDIT_RETENTION: 'standard' });

  expect(wrong.logged).toBe('-t financectl audit archive or prune failed: exit code 4\n');
  expect(wrong.said).toContain('AUDIT_RETENTION says standard');
  expect([await storedIds(harness), archivedDays()]).toEqual([[kept?.id], [daysAgo(100).slice(0, 10)]]);
});
