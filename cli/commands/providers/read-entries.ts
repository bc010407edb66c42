import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { warnWhenExposed } from '#cli/commands/providers/secret-file.ts';
import { readAll } from '#cli/confirm.ts';
import { UsageError } from '#cli/errors.ts';
import type { Host } from '#cli/host.ts';
import type { FileEntry } from '#src/sso/providers/file/provider-file.ts';

/** The providers of a file, or of standard input for `-`. */
export async function readEntries(host: Host, path: string): Promise<FileEntry[]> {
  const { readProviderFile } = await import('#src/sso/providers/file/provider-file.ts');
  if (path === '-' && host.io.stdin.isTTY)
    throw new UsageError('--file - reads standard input; pipe a file in');
  const text = path === '-' ? await readAll(host) : await readFile(path, 'utf8');
  const label = path === '-' ? '<stdin>' : shortest(path);
  const entries = readProviderFile(text, label, host.config().sso.variables);
  if (path !== '-' && entries.some(({ holdsSecret }) => holdsSecret)) await warnWhenExposed(host, path);
  return entries;
}

/** As people would write it from where they are. */
function shortest(path: string): string {
  const near = relative('.', path);
  return near.length < path.length && !near.startsWith('..') ? near : path;
}
