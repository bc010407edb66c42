import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { QueryResultRow } from 'pg';
import { extract, type Header, pack } from 'tar-stream';
import { LEFT_OUT } from '#src/backup/left-out.ts';
import { openBackup } from '#src/backup/open-backup.ts';
import { type RestoreOptions, type RestoreSummary, restoreBackup } from '#src/backup/restore-backup.ts';
import { type BackupOptions, writeBackup } from '#src/backup/write-backup.ts';
import type { Runtime } from '#src/kernel/work.ts';

export async function backUp(
  runtime: Runtime,
  onProgress: BackupOptions['onProgress'] = () => undefined,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of writeBackup(runtime, { signal: new AbortController().signal, onProgress })) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export async function restoreTo(
  runtime: Runtime,
  file: Buffer,
  options: Partial<RestoreOptions> = {},
): Promise<RestoreSummary> {
  const backup = await openBackup(streamOf(file));
  try {
    return await restoreBackup(runtime, backup, {
      actor: { kind: 'system' },
      actingAs: undefined,
      signal: new AbortController().signal,
      dryRun: false,
      replace: false,
      replaceSecret: false,
      onProgress: () => undefined,
      ...options,
    });
  } finally {
    await backup.close();
  }
}

export function streamOf(file: Buffer): Readable {
  const chunks = Array.from({ length: Math.ceil(file.length / 65_536) }, (_, index) =>
    file.subarray(index * 65_536, (index + 1) * 65_536),
  );
  return Readable.from(chunks);
}

interface Database {
  query<Row extends QueryResultRow>(sql: string): Promise<Row[]>;
}

/** All rows of every table that is backed up, as text, in order. What restores say about themselves is left out. */
export async function contentOf(database: Database): Promise<Record<string, string[]>> {
  const tables = await database.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
  );
  const kept = tables.filter(({ name }) => ![...LEFT_OUT, 'schema_migrations'].includes(name));
  const content: Record<string, string[]> = {};
  for (const { name } of kept) {
    const own = name === 'audit_events' ? `where event_type !~ '^backup_'` : '';
    const rows = await database.query<{ row: string }>(
      `select t::text as row from ${name} t ${own} order by t::text collate "C"`,
    );
    content[name] = rows.map(({ row }) => row);
  }
  return content;
}

export interface TarPart {
  header: Partial<Header> & { name: string };
  content: Buffer;
}

/** The parts of a backup, to be tampered with. */
export async function unpack(file: Buffer): Promise<TarPart[]> {
  const tar = extract();
  const parts: TarPart[] = [];
  tar.end(gunzipSync(file));
  for await (const entry of tar) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(Buffer.from(chunk as Uint8Array));
    const { name, size } = entry.header;
    parts.push({ header: { name, size: size ?? 0 }, content: Buffer.concat(chunks) });
  }
  return parts;
}

export async function repack(parts: readonly TarPart[]): Promise<Buffer> {
  const tar = pack();
  for (const { header, content } of parts) {
    tar.entry({ ...header, size: content.length }, header.type === 'symlink' ? '' : content);
  }
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) chunks.push(Buffer.from(chunk as Uint8Array));
  return gzipSync(Buffer.concat(chunks), { level: 1 });
}

/** The same backup with other content, its checksums made to fit: what only a look at the content can find out. */
export async function forge(file: Buffer, change: (part: TarPart) => Buffer | undefined): Promise<Buffer> {
  const parts = await unpack(file);
  const sums = new Map<string, { bytes: number; sha256: string; rows?: number }>();
  for (const part of parts) {
    part.content = change(part) ?? part.content;
    const rows = part.header.name.startsWith('tables/') && {
      rows: part.content.toString('latin1').split('\n').length - 1,
    };
    const sha256 = createHash('sha256').update(part.content).digest('hex');
    sums.set(part.header.name, { bytes: part.content.length, sha256, ...rows });
  }
  const last = parts.find(({ header }) => header.name === 'checksums.json');
  sums.delete('checksums.json');
  if (last)
    last.content = Buffer.from(JSON.stringify({ parts: [...sums].map(([name, sum]) => ({ name, ...sum })) }));
  return repack(parts);
}
