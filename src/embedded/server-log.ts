import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { type DataDir, giveToOwner } from '#src/embedded/data-dir.ts';

const TEN_MEGABYTES = 10 * 1024 * 1024;

/** PostgreSQL's own log. The previous one is kept once. */
export async function openServerLog({ logFile, owner }: DataDir): Promise<FileHandle> {
  const { size } = await stat(logFile).catch(() => ({ size: 0 }));
  if (size > TEN_MEGABYTES) await rename(logFile, `${logFile}.1`);
  const log = await open(logFile, 'a+', 0o600);
  await giveToOwner(logFile, owner);
  return log;
}

/** The last lines written since a position. */
export async function readServerLog(log: FileHandle, since: number): Promise<string> {
  const { size } = await log.stat();
  const from = Math.max(since, size - 4096);
  const { buffer, bytesRead } = await log.read(Buffer.alloc(4096), 0, 4096, from);
  return buffer.toString('utf8', 0, bytesRead).trim();
}
