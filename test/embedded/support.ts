import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, vi } from 'vitest';
import { connect } from '#src/embedded/connect.ts';
import {
  type EmbeddedDatabase,
  type EmbeddedDatabaseOptions,
  joinEmbeddedDatabase,
} from '#src/embedded/join-embedded-database.ts';
import { readPostmasterFile } from '#src/embedded/postmaster-file.ts';
import { isPostmasterOf, isRunning } from '#src/embedded/processes.ts';

const folders: string[] = [];
const joined: EmbeddedDatabase[] = [];
const children: ChildProcess[] = [];

/** For each file: even a failed test of it leaves no process behind. */
export function leaveNothingBehind(): void {
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await Promise.allSettled(joined.splice(0).map((database) => database.release()));
    for (const folder of folders.splice(0)) {
      const pid = await postmasterPid(join(folder, 'data'));
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      if (pid !== undefined) await vi.waitUntil(() => !isRunning(pid));
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    }
  });
}

/** The name of a data folder that does not exist yet. */
export function newDataDir(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'finance-embedded-')));
  folders.push(folder);
  return join(folder, 'data');
}

export async function joinHere(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const database = await joinEmbeddedDatabase(options);
  joined.push(database);
  return database;
}

export interface Member {
  process: ChildProcess;
  connectionString: string;
  leave(): Promise<number | null>;
}

export function spawnMember(dataDir: string, ...more: string[]): ChildProcess {
  const script = fileURLToPath(new URL('./member.ts', import.meta.url));
  const child = spawn(process.execPath, [script, dataDir, ...more], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

export async function joinElsewhere(dataDir: string): Promise<Member> {
  const child = spawnMember(dataDir);
  if (!child.stdout) throw new Error('no pipe');
  for await (const connectionString of createInterface(child.stdout)) {
    return { process: child, connectionString, leave };
  }
  throw new Error('The member ended without joining');

  async function leave(): Promise<number | null> {
    const exit = once(child, 'exit');
    child.stdin?.end();
    return (await exit)[0];
  }
}

export async function ask(connectionString: string, sql: string): Promise<Record<string, unknown>[]> {
  const { port, username, password, pathname } = new URL(connectionString);
  const client = await connect({
    port: Number(port),
    user: username,
    password,
    database: pathname.slice(1),
    application_name: 'test',
  });
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** The process id of the running server, if it runs. */
export async function postmasterPid(dataDir: string): Promise<number | undefined> {
  const pgData = join(dataDir, 'postgres');
  const file = await readPostmasterFile(pgData).catch(() => undefined);
  return file && (await isPostmasterOf(file.pid, pgData)) ? file.pid : undefined;
}

export async function draftsIn(dataDir: string): Promise<string[]> {
  const names = await readdir(dataDir).catch(() => []);
  return names.filter((name) => name.startsWith('postgres.new'));
}
