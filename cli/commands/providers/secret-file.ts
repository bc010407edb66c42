import { readFile, stat } from 'node:fs/promises';
import { UsageError } from '#cli/errors.ts';
import type { Host } from '#cli/host.ts';
import { warn } from '#cli/io.ts';

/** The text of a file that a flag names; a warning when everybody can read a secret in it. */
export async function readFieldFile(host: Host, path: string, isSecret: boolean): Promise<string> {
  const text = await readFile(path, 'utf8');
  if (isSecret) await warnWhenExposed(host, path);
  if (text.trim() === '') throw new UsageError(`${path} is empty`);
  return text;
}

export async function warnWhenExposed(host: Host, path: string): Promise<void> {
  const { mode } = await stat(path);
  if (mode & 0o004) warn(host.io, `warning: everybody on this machine can read ${path}; chmod 600 ${path}`);
}
