import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '#src/kernel/error-code.ts';

/** What PostgreSQL says about itself in postmaster.pid. The file outlives a killed server: nothing in it is sure. */
export interface PostmasterFile {
  pid: number;
  port: number;
  ready: boolean;
}

export async function readPostmasterFile(pgData: string): Promise<PostmasterFile | undefined> {
  const [pid, , , port, , , , status] = (await readLines(pgData)) ?? [];
  if (!Number(pid)) return undefined;
  return { pid: Number(pid), port: Number(port), ready: status?.trim() === 'ready' };
}

/**
 * A power loss can leave the file empty, and then PostgreSQL refuses to start. Any other remnant is PostgreSQL's to judge,
 * because it also checks whether orphaned backends still use the shared memory named there.
 */
export async function removeBlankPostmasterFile(pgData: string): Promise<void> {
  const [pid] = (await readLines(pgData)) ?? [];
  if (pid !== undefined && !Number(pid)) await rm(pathOf(pgData), { force: true });
}

async function readLines(pgData: string): Promise<string[] | undefined> {
  try {
    return (await readFile(pathOf(pgData), 'utf8')).split('\n');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function pathOf(pgData: string): string {
  return join(pgData, 'postmaster.pid');
}
