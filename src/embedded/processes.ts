import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { CHILD_ENV } from '#src/embedded/child-env.ts';
import { errorCode } from '#src/kernel/error-code.ts';

/** True while the process does something; a zombie, which a container without an init may keep for ever, does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return process.platform !== 'linux';
  }
}

/** True when the process is the postmaster of this very folder, and not one that got an old number again. */
export async function isPostmasterOf(pid: number, pgData: string): Promise<boolean> {
  if (!isRunning(pid)) return false;
  const [command, ...rest] = await commandLine(pid);
  return basename(command ?? '') === 'postgres' && rest.includes(pgData);
}

async function commandLine(pid: number): Promise<string[]> {
  try {
    if (process.platform === 'linux') return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
    const { stdout } = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'args='], {
      env: CHILD_ENV,
    });
    return stdout.trim().split(' ');
  } catch {
    return [];
  }
}
