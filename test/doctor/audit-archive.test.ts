import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Subject } from '#src/doctor/check.ts';
import { auditArchive } from '#src/doctor/checks/audit-archive.ts';
import type { RetentionTier } from '#src/kernel/config.ts';
import { daysAgo, givenEvents, useArchive } from '#test/audit/archive/support.ts';
import { runCli } from '#test/support/cli.ts';
import { SECRET_KEY_BASE, useRuntime } from '#test/support/database.ts';

const DAY_MS = 86_400_000;
const harness = useRuntime();
const archives = useArchive(harness);

function look(tier: RetentionTier, daysLater = 0) {
  const runtime = archives.runtimeWith(tier);
  const subject: Subject = {
    config: () => runtime.config,
    sources: () => ({ unknown: [], secretFiles: [], credentialsFolder: undefined }),
    runtime: async () => runtime,
    now: () => new Date(Date.now() + daysLater * DAY_MS),
    isOffline: false,
    warnCertDays: 30,
    explain: (error) => ({ detail: String(error) }),
  };
  return auditArchive(subject);
}

describe('the doctor, asked about the archive', () => {
  test('is content before there is anything to do, and after a run', async () => {
    await givenEvents(harness, [daysAgo(91)]);
    expect(await look('extended')).toEqual({
      status: 'ok',
      detail: `extended to ${archives.folder}; not run yet`,
    });

    await archives.archive('extended');
    expect(await look('extended')).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('; last run 20'),
    });
  });

  test('warns of a tier that is shorter than the last run kept to', async () => {
    await archives.archive('compliance');

    expect(await look('extended')).toMatchObject({
      status: 'warn',
      detail: 'the last run kept to compliance, AUDIT_RETENTION says extended',
      hint: expect.stringContaining('--shorten'),
    });
    expect(await look('compliance')).toMatchObject({ status: 'ok' });
  });

  test('warns when there is something to do and the last run was long ago, or never was', async () => {
    await givenEvents(harness, [daysAgo(100), daysAgo(91)]);
    const never = await look('standard');
    await archives.archive('standard');

    expect(never).toMatchObject({ status: 'warn', hint: expect.stringContaining('cron') });
    expect(await look('standard')).toMatchObject({ status: 'ok' });
    await givenEvents(harness, [daysAgo(90)]);
    expect(await look('standard', 1.5)).toMatchObject({ status: 'ok' });
    expect(await look('standard', 4)).toMatchObject({
      status: 'warn',
      detail: expect.stringMatching(/last run 20.*and there is something to do/),
    });
  });

  test('warns of archives that nobody prunes', async () => {
    await givenEvents(harness, [daysAgo(400), daysAgo(100)]);
    await archives.archive('extended');

    expect(await look('extended')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('archives past their time: 1'),
      hint: expect.stringContaining('audit prune --yes'),
    });
    expect(await look('compliance')).toMatchObject({ status: 'ok' });
  });
});

async function doctor(env: Record<string, string>) {
  const { exitCode, stdout } = await runCli(['doctor', '--json'], {
    runtime: harness.runtime,
    env: { DATABASE_URL: harness.databaseUrl, SECRET_KEY_BASE, AUDIT_RETENTION: 'extended', ...env },
  });
  const checks: { name: string; status: string; detail: string }[] = JSON.parse(stdout).checks;
  return { exitCode, find: (name: string) => checks.find((check) => check.name === name) };
}

describe('financectl doctor', () => {
  test('exits with 5 when the archive is below what is no folder', async () => {
    await writeFile(join(archives.folder, 'file'), '');

    const { exitCode, find } = await doctor({ AUDIT_ARCHIVE_URL: join(archives.folder, 'file/archive') });

    expect(exitCode).toBe(5);
    expect(find('audit_archive')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining(archives.folder),
    });
  });

  test('exits with 7 when the bucket does not answer; warns of open files and misspelt names', async () => {
    const [secret, kept] = [join(archives.folder, 'secret'), join(archives.folder, 'kept')];
    await writeFile(secret, SECRET_KEY_BASE);
    await chmod(secret, 0o640);
    await writeFile(kept, 'smtp://127.0.0.1:1', { mode: 0o600 });

    const { exitCode, find } = await doctor({
      SECRET_KEY_BASE: '',
      SECRET_KEY_BASE_FILE: secret,
      OKTA_CLIENT_SECRET_FILE: kept,
      AUDIT_RETENTON: 'compliance',
      AUDIT_ARCHIVE_URL: 's3://bucket/audit',
      AUDIT_ARCHIVE_S3_ENDPOINT: 'http://127.0.0.1:1',
      AUDIT_ARCHIVE_S3_ACCESS_KEY_ID: 'key',
      AUDIT_ARCHIVE_S3_SECRET_ACCESS_KEY: 'secret',
    });

    expect(exitCode).toBe(7);
    expect(find('audit_archive')?.status).toBe('fail');
    expect(find('secret_files')).toMatchObject({
      status: 'warn',
      detail: `others can read ${secret}`,
      hint: `chmod 600 ${secret}`,
    });
    expect(find('settings')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('Did you mean AUDIT_RETENTION?'),
    });
  });
});
