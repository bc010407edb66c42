import { text } from 'node:stream/consumers';
import {
  archivePath,
  checksumPath,
  LONGEST_MANIFEST,
  type Manifest,
  parseManifest,
  sha256Of,
} from '#src/audit/archive/files/manifest.ts';
import { type ArchiveRange, listArchives } from '#src/audit/archive/list-archives.ts';
import type { ArchiveTarget } from '#src/audit/archive/targets/target.ts';
import type { Sql } from '#src/kernel/sql-on.ts';

/** A file in the target that the database knows nothing of, or only that it was pruned. */
export interface UnrecordedFile {
  path: string;
  /** Of the name. */
  day: string | undefined;
  /** When it is one of ours. */
  manifest: Manifest | undefined;
}

const NAME = /^\d{4}\/\d{2}\/(\d{4}-\d{2}-\d{2})-[0-9a-f]{16}\.(?:ndjson\.gz(?:\.sha256)?|manifest\.json)$/;

/**
 * What is left over from runs that were killed, or belongs to another database, or to this one before it was restored
 * from a backup. In order of the paths.
 */
export async function listUnrecorded(
  sql: Sql,
  target: ArchiveTarget,
  { since, until }: ArchiveRange = {},
): Promise<UnrecordedFile[]> {
  const kept = await listArchives(sql);
  const known = new Set(kept.flatMap(({ file, manifest }) => [file, checksumPath(file), manifest]));
  const found: UnrecordedFile[] = [];
  for await (const { path, bytes } of target.list('')) {
    const day = NAME.exec(path)?.[1];
    if (known.has(path) || (day !== undefined && !isWithin(day, since, until))) continue;
    const isManifest = day !== undefined && path.endsWith('.manifest.json') && bytes <= LONGEST_MANIFEST;
    found.push({
      path,
      day,
      manifest: isManifest ? namedAs(path, await text(await target.open(path))) : undefined,
    });
  }
  return found;
}

/** The name of a manifest is made of its content. */
function namedAs(path: string, content: string): Manifest | undefined {
  const manifest = parseManifest(content);
  const isNamed = manifest && path === archivePath(manifest.day, sha256Of(content), 'manifest.json');
  return isNamed ? manifest : undefined;
}

function isWithin(day: string, since: Date | undefined, until: Date | undefined): boolean {
  const begin = Date.parse(`${day}T00:00:00Z`);
  return (
    (since === undefined || day >= since.toISOString().slice(0, 10)) &&
    (until === undefined || begin < until.getTime())
  );
}
