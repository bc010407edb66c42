import { linkSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { syncFolder } from '#src/embedded/cluster-settings.ts';
import { giveToOwner, openDataDir } from '#src/embedded/data-dir.ts';
import { keptSecretFile } from '#src/embedded/kept-secret-key-base.ts';
import { errorCode } from '#src/kernel/error-code.ts';

/**
 * A restored database brings its own secret, and no file can change in the same instant as a database. So the secret
 * waits beside the old one, under the id of the audit event that is committed with the restored data: the event is
 * there, or it is not, and whoever comes next knows which of the two secrets is the right one.
 */
const WAITING = /^secret_key_base\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.next$/;

/** The secret kept in the data folder, if there is one. */
export function lookUpSecretKeyBase(dataDir: string): string | undefined {
  try {
    return readFileSync(keptSecretFile(dataDir), 'utf8').trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Before the commit. */
export async function prepareSecretKeyBase(dataDir: string, eventId: string, secret: string): Promise<void> {
  const { path, owner } = await openDataDir(dataDir);
  const draft = waitingName(path, eventId);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${secret}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await giveToOwner(draft, owner);
  await syncFolder(path);
}

/** After the commit. The secret that was there stays beside it; answers with that file's name. */
export async function installSecretKeyBase(
  dataDir: string,
  eventId: string,
  now: Date,
): Promise<string | undefined> {
  const file = keptSecretFile(dataDir);
  const old = lookUpSecretKeyBase(dataDir) === undefined ? undefined : keepBeside(file, now);
  try {
    renameSync(waitingName(dataDir, eventId), file);
  } catch (error) {
    // Another process has done it already.
    if (errorCode(error) !== 'ENOENT') throw error;
    if (old !== undefined) rmSync(old, { force: true });
    return undefined;
  }
  await syncFolder(dataDir);
  return old;
}

/** Under a dated name of its own: two processes may do this in the same millisecond. */
function keepBeside(file: string, now: Date): string {
  const old = `${file}.${now.toISOString().replace(/[:.]/g, '')}`;
  try {
    linkSync(file, old);
    return old;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    return keepBeside(file, new Date(now.getTime() + 1));
  }
}

export function discardSecretKeyBase(dataDir: string, eventId: string): void {
  rmSync(waitingName(dataDir, eventId), { force: true });
}

/** Ends what a killed restore has left: its secret takes its place if its data did, and goes otherwise. */
export async function settleSecretKeyBase(dataDir: string, url: string, lock: number): Promise<void> {
  const waiting = readdirSync(dataDir).flatMap((name) => WAITING.exec(name)?.[1] ?? []);
  if (waiting.length === 0) return;
  const client = new Client({ connectionString: url, ssl: false });
  client.on('error', () => undefined);
  await client.connect();
  try {
    // Held by a restore until its commit is decided, even when the process that asked for it is gone.
    await client.query('select pg_advisory_lock($1)', [lock]);
    const { rows: found } = await client.query<{ id: string }>(
      `select id from audit_events where id = any ($1)`,
      [waiting],
    );
    for (const eventId of waiting) {
      if (found.some(({ id }) => id === eventId)) await installSecretKeyBase(dataDir, eventId, new Date());
      else discardSecretKeyBase(dataDir, eventId);
    }
  } catch (error) {
    // Without a table nothing was committed.
    if (errorCode(error) !== '42P01') throw error;
    for (const eventId of waiting) discardSecretKeyBase(dataDir, eventId);
  } finally {
    await client.end();
  }
}

function waitingName(dataDir: string, eventId: string): string {
  return join(dataDir, `secret_key_base.${eventId}.next`);
}
