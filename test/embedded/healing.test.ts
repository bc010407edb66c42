import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  ask,
  draftsIn,
  joinElsewhere,
  joinHere,
  leaveNothingBehind,
  newDataDir,
  postmasterPid,
  spawnMember,
} from '#test/embedded/support.ts';

leaveNothingBehind();

describe('after a kill', () => {
  it('joins what a killed holder left running, and stops it', async () => {
    const dataDir = newDataDir();
    const killed = await joinElsewhere(dataDir);
    await kill(killed.process);

    const next = await joinHere({ dataDir });
    expect(next.connectionString).toBe(killed.connectionString);
    expect(await ask(next.connectionString, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);

    await next.release();
    expect(await postmasterPid(dataDir)).toBeUndefined();
  });

  it('stops when the last one left sees another killed', async () => {
    const dataDir = newDataDir();
    const last = await joinHere({ dataDir });
    const killed = await joinElsewhere(dataDir);

    await kill(killed.process);
    await last.release();

    expect(await postmasterPid(dataDir)).toBeUndefined();
  });

  it('starts again, on the same port, when PostgreSQL itself is killed', async () => {
    const dataDir = newDataDir();
    const rejoined = Promise.withResolvers<string[]>();
    const events: string[] = [];
    const starter = await joinElsewhere(dataDir);
    const member = await joinHere({
      dataDir,
      notice: (event) => {
        events.push(event);
        if (event === 'embedded_database_rejoined') rejoined.resolve(events);
      },
    });
    await ask(member.connectionString, 'CREATE TABLE kept AS SELECT 42 AS value');
    await starter.leave();

    process.kill((await postmasterPid(dataDir)) ?? Number.NaN, 'SIGKILL');

    expect((await rejoined.promise)[0]).toBe('embedded_database_lost');
    expect(await ask(member.connectionString, 'SELECT value FROM kept')).toEqual([{ value: 42 }]);
    await member.release();
    expect(await postmasterPid(dataDir)).toBeUndefined();
  });

  it('lets go while it is starting again', async () => {
    const dataDir = newDataDir();
    const lost = Promise.withResolvers<void>();
    const member = await joinHere({ dataDir, notice: () => lost.resolve() });
    process.kill((await postmasterPid(dataDir)) ?? Number.NaN, 'SIGKILL');
    await lost.promise;

    await member.release();

    expect(await postmasterPid(dataDir)).toBeUndefined();
  });

  it('begins anew where initdb was killed', async () => {
    const dataDir = newDataDir();
    const killed = spawnMember(dataDir);
    await vi.waitUntil(async () => (await draftsIn(dataDir)).length > 0, { interval: 5, timeout: 10_000 });
    await kill(killed);

    const next = await joinHere({ dataDir });

    expect(await ask(next.connectionString, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await draftsIn(dataDir)).toEqual([]);
  });

  it('makes the role and the database that a kill prevented', async () => {
    const dataDir = newDataDir();
    const { superuserConnectionString, connectionString } = await joinHere({ dataDir });
    await ask(superuserConnectionString, 'DROP DATABASE finance');
    await ask(superuserConnectionString, 'DROP ROLE finance');

    await joinHere({ dataDir });

    expect(await ask(connectionString, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

describe('after a power loss', () => {
  it('starts although postmaster.pid names a process that lives and is another', async () => {
    const dataDir = newDataDir();
    const remnant = await remnantOf(dataDir);
    // PostgreSQL heeds processes of its own user only.
    const { uid, gid } = await stat(join(dataDir, 'postgres'));
    const foreign = spawn('sleep', ['60'], { uid, gid });
    try {
      await leaveRemnant(dataDir, remnant.replace(/^\d+/, String(foreign.pid)));

      const next = await joinHere({ dataDir });

      expect(await ask(next.connectionString, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await next.release();
      expect(foreign.exitCode ?? foreign.signalCode).toBeNull();
    } finally {
      await kill(foreign);
    }
  });

  it.each([
    ['empty', () => ''],
    ['of a process that is gone', (remnant: string) => remnant],
  ])('starts although postmaster.pid is %s', async (_, content) => {
    const dataDir = newDataDir();
    const remnant = await remnantOf(dataDir);
    await leaveRemnant(dataDir, content(remnant));

    const next = await joinHere({ dataDir });

    expect(await ask(next.connectionString, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

/** Starts and stops a cluster; answers with what its postmaster.pid said meanwhile. */
async function remnantOf(dataDir: string): Promise<string> {
  const database = await joinHere({ dataDir });
  const remnant = await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8');
  await database.release();
  return remnant;
}

async function leaveRemnant(dataDir: string, content: string): Promise<void> {
  const { uid, gid } = await stat(join(dataDir, 'postgres'));
  const path = join(dataDir, 'postgres/postmaster.pid');
  await writeFile(path, content, { mode: 0o600 });
  await chown(path, uid, gid);
}

async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
