import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '#cli/errors.ts';
import type { Host } from '#cli/host.ts';

/** A statement is read twice, so what comes from standard input (`-`) is kept in a private file meanwhile. */
export async function withStdinFile<Result>(
  { io: { stdin }, signal }: Host,
  file: string,
  task: (path: string) => Promise<Result>,
): Promise<Result> {
  if (file !== '-') return task(file);
  if (stdin.isTTY) throw new UsageError('- reads a statement from standard input, which is a terminal here');

  const folder = await mkdtemp(join(tmpdir(), 'financectl-'));
  try {
    const path = join(folder, 'stdin');
    await pipeline(stdin, createWriteStream(path, { mode: 0o600 }), { signal });
    return await task(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}
