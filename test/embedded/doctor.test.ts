import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { readClusterState } from '#src/embedded/cluster-state.ts';
import { ask, joinHere, leaveNothingBehind, newDataDir, postmasterPid } from '#test/embedded/support.ts';

leaveNothingBehind();

const FINANCECTL = join(import.meta.dirname, '../../bin/financectl');

const financectl = (dataDir: string, ...argv: string[]) =>
  promisify(execFile)(FINANCECTL, argv, { env: { PATH: process.env.PATH, DATA_DIR: dataDir } });

async function doctor(dataDir: string): Promise<Record<string, { status: string; detail: string }>> {
  const { stdout } = await financectl(dataDir, 'doctor', '--json', '--offline');
  const { checks }: { checks: { name: string; status: string; detail: string }[] } = JSON.parse(stdout);
  return Object.fromEntries(checks.map((check) => [check.name, check]));
}

it('the doctor joins the embedded database, running or not, and leaves it as it was', async () => {
  const dataDir = newDataDir();
  const database = await joinHere({ dataDir });
  const { port, pid } = await readClusterState(dataDir);

  const running = await doctor(dataDir);
  expect(running.embedded_database).toMatchObject({
    status: 'ok',
    detail: expect.stringContaining(String(port)),
  });
  expect(running.database).toMatchObject({
    status: 'ok',
    detail: expect.stringContaining('finance (embedded)'),
  });
  expect(running.migrations).toMatchObject({ status: 'warn' });
  expect(await postmasterPid(dataDir)).toBe(pid);
  const tables = `select 1 from pg_tables where schemaname = 'public'`;
  expect(await ask(database.connectionString, tables)).toEqual([]);

  await database.release();
  const stopped = await doctor(dataDir);
  expect(stopped.embedded_database?.detail).toContain('stopped');
  expect(stopped.database?.status).toBe('ok');
  expect(await readClusterState(dataDir)).toEqual({ version: '18' });
  expect(existsSync(join(dataDir, 'secret_key_base'))).toBe(false);

  // Nothing is in it yet that a rehearsal could change.
  const { stderr } = await financectl(dataDir, 'families', 'list', '--dry-run');
  expect(stderr).toContain('No families');
});
