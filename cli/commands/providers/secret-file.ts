import { readFile, stat } from 'node:fs/promises';
import { readAll } from '#cli/confirm.ts';
import { UsageError } from '#cli/errors.ts';
import type { Host } from '#cli/host.ts';
import { warn } from '#cli/io.ts';

/** The text of a file that a flag names, `-` for standard input; a warning when everybody can read a secret in it. */
export async function readFieldFile(host: Host, path: string, isSecret: boolean): Promise<string> {
  if (path === '-') return readPiped(host);
  const text = await readFile(path, 'utf8');
  if (isSecret) await warnWhenExposed(host, path);
  if (text.trim() === '') throw new UsageError(`${path} is empty`);
  return text;
}

async function readPiped(host: Host): Promise<string> {
  if (host.io.stdin.isTTY) throw new UsageError('- reads standard input; pipe a file in');
  const text = await readAll(host);
  if (text.trim() === '') throw new UsageError('standard input is empty');
  return text;
}

export async function warnWhenExposed(host: Host, path: string): Promise<void> {
  const { mode } = await stat(path);
  if (mode & 0o004) warn(host.io, `warning: everybody on this machine can read ${path}; chmod 600 ${path}`);
}
