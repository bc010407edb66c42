import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { warnWhenExposed } from '#cli/commands/providers/secret-file.ts';
import { readAll } from '#cli/confirm.ts';
import { UsageError } from '#cli/errors.ts';
import type { Host } from '#cli/host.ts';
import type { Fields } from '#src/sso/providers/field-reader.ts';
import type { FileEntry } from '#src/sso/providers/file/provider-file.ts';

/** The providers of a file, or of standard input for `-`. */
export async function readEntries(host: Host, path: string): Promise<FileEntry[]> {
  const { readProviderFile } = await import('#src/sso/providers/file/provider-file.ts');
  const { text, label } = await readLabelled(host, path);
  const entries = readProviderFile(text, label, host.config().sso.variables);
  if (path !== '-' && entries.some(({ holdsSecret }) => holdsSecret)) await warnWhenExposed(host, path);
  return entries;
}

/** The fields of the one provider that a file holds. Throws `validation_failed` when a variable it needs is not set. */
export async function readFields(host: Host, path: string): Promise<Fields> {
  const [{ readSingleProvider }, { invalid }] = await Promise.all([
    import('#src/sso/providers/file/provider-file.ts'),
    import('#src/kernel/errors.ts'),
  ]);
  const { text, label } = await readLabelled(host, path);
  const entry = readSingleProvider(text, label, host.config().sso.variables);
  if (path !== '-' && entry.holdsSecret) await warnWhenExposed(host, path);
  const problems = [...entry.problems, ...entry.missingSecrets];
  if (problems.length > 0) throw invalid(problems.map((problem) => entry.locate(problem)));
  return entry.fields;
}

async function readLabelled(host: Host, path: string): Promise<{ text: string; label: string }> {
  if (path === '-' && host.io.stdin.isTTY)
    throw new UsageError('--file - reads standard input; pipe a file in');
  const text = path === '-' ? await readAll(host) : await readFile(path, 'utf8');
  return { text, label: path === '-' ? '<stdin>' : shortest(path) };
}

/** As people would write it from where they are. */
function shortest(path: string): string {
  const near = relative('.', path);
  return near.length < path.length && !near.startsWith('..') ? near : path;
}
