import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ArchiveRecord } from '#src/audit/archive/list-archives.ts';
import type { StoredFile } from '#src/audit/archive/targets/target.ts';
import { isUuid } from '#src/kernel/uuid.ts';

/** What is said about an archive beside it. The manifest before is named by its hash: a chain without gaps. */
export interface Manifest
  extends Pick<
    ArchiveRecord,
    'day' | 'rows' | 'firstId' | 'lastId' | 'file' | 'bytes' | 'sha256' | 'position'
  > {
  /** Which audit log it is of (`readLogId`). */
  log: string;
  previous: { day: string; sha256: string } | null;
}

const FORMAT = 'finance-server audit archive';
const VERSION = 1;
/** Bytes, far above any of ours. */
export const LONGEST_MANIFEST = 65_536;

/** The same facts give the same text. */
export function manifestText(manifest: Manifest): string {
  const { log, day, rows, firstId, lastId, file, bytes, sha256, position, previous } = manifest;
  const facts = {
    format: FORMAT,
    version: VERSION,
    log,
    day,
    rows,
    first_id: firstId,
    last_id: lastId,
    file,
    bytes,
    sha256,
    position,
    previous: previous && { day: previous.day, sha256: previous.sha256 },
  };
  return `${JSON.stringify(facts, null, 2)}\n`;
}

/** Undefined when this is no manifest of ours; it is only one when we would have written the same. */
export function parseManifest(text: string): Manifest | undefined {
  try {
    const { log, day, rows, first_id, last_id, file, bytes, sha256, position, previous } = JSON.parse(text);
    const manifest: Manifest = {
      log,
      day,
      rows,
      firstId: first_id,
      lastId: last_id,
      file,
      bytes,
      sha256,
      position,
      previous,
    };
    return isPossible(manifest) && manifestText(manifest) === text ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/** It may have been written by anybody: nothing but such values goes on to paths and queries. */
function isPossible({ log, day, rows, firstId, lastId, file, bytes, sha256, position }: Manifest): boolean {
  return (
    [log, firstId, lastId].every((id) => isUuid(id)) &&
    [rows, bytes, position].every((count) => Number.isSafeInteger(count) && count > 0) &&
    /^\d{4}-\d{2}-\d{2}$/.test(day) &&
    !Number.isNaN(Date.parse(day)) &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    file === archivePath(day, sha256, 'ndjson.gz')
  );
}

export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** `2026/08/2026-08-01-0f1e2d3c4b5a6978.ndjson.gz`: the name says what is in it, so nothing is ever replaced. */
export function archivePath(day: string, sha256: string, ending: 'ndjson.gz' | 'manifest.json'): string {
  return `${day.slice(0, 4)}/${day.slice(5, 7)}/${day}-${sha256.slice(0, 16)}.${ending}`;
}

/** Beside an archive, for `sha256sum --check`. */
export function checksumPath(file: string): string {
  return `${file}.sha256`;
}

export function checksumText({ file, sha256 }: Pick<Manifest, 'file' | 'sha256'>): string {
  return `${sha256}  ${file.slice(file.lastIndexOf('/') + 1)}\n`;
}

export function textFile(path: string, text: string, keepUntil: Date | undefined): StoredFile {
  const content = Buffer.from(text);
  return {
    path,
    bytes: content.length,
    sha256: sha256Of(text),
    keepUntil,
    read: () => Readable.from([content], { objectMode: false }),
  };
}
