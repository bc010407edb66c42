import type { Readable } from 'node:stream';
import {
  type BackedUpTable,
  CHECKSUMS,
  MANIFEST,
  type Manifest,
  type PartSum,
  readChecksums,
  readManifest,
  SECRET,
} from '#src/backup/manifest.ts';
import { measure } from '#src/backup/measure.ts';
import { type Part, readParts } from '#src/backup/read-parts.ts';
import { damaged, notABackup } from '#src/backup/refusals.ts';
import { SHORTEST_SECRET } from '#src/embedded/kept-secret-key-base.ts';

interface RowsOfTable {
  table: BackedUpTable;
  /** In the text format of COPY. */
  chunks: AsyncIterable<Buffer>;
}

export interface OpenBackup {
  readonly manifest: Manifest;
  readonly secretKeyBase: string | undefined;
  /** All rows, in pieces. At its end everything has been found as it was written; else it throws `validation_failed`. */
  rows(): AsyncGenerator<RowsOfTable>;
  /** How many rows each table has; complete when `rows` has ended. */
  readonly counts: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

const LARGEST_MANIFEST = 4 * 1024 * 1024;
const LARGEST_SECRET = 4096;
/** Bytes of a line of the checksums, at most. */
const LARGEST_SUM = 512;
/**
 * Two parts of a table that follow each other have more than 4 MiB; the first thousand may be those of small tables.
 * What is said of a part stays in memory to the end.
 */
const SMALL_PARTS = 1_000;
const AVERAGE_BYTES = 1024 * 1024;

/** Reads a backup in one pass, in constant memory; believes nothing in it. Throws `validation_failed`. */
export async function openBackup(file: Readable): Promise<OpenBackup> {
  const parts = readParts(file);
  const sums: PartSum[] = [];
  try {
    const manifest = readManifest(await document(await expectPart(parts, MANIFEST), LARGEST_MANIFEST, sums));
    const counts = new Map(manifest.tables.map(({ name }) => [name, 0]));
    const secret = manifest.holdsSecretKeyBase
      ? await document(await expectPart(parts, SECRET), LARGEST_SECRET, sums)
      : undefined;
    return {
      manifest,
      secretKeyBase: secret && readSecret(secret),
      counts,
      rows: () => rows(parts, { manifest, sums, counts }),
      close: async () => void (await parts.return(undefined)),
    };
  } catch (error) {
    await parts.return(undefined);
    throw error;
  }
}

/** The service would refuse one that is too short, and nothing that is stored could be read any more. */
function readSecret(content: Buffer): string {
  const secret = content.toString('utf8').trim();
  if (secret.length < SHORTEST_SECRET) throw damaged(`its ${SECRET} is too short`);
  return secret;
}

async function expectPart(parts: AsyncGenerator<Part>, name: string): Promise<Part> {
  const { value, done } = await parts.next();
  if (done) throw notABackup('it is empty');
  if (value.name !== name) throw notABackup(`${name} is not where it should be`);
  return value;
}

async function document(part: Part, largest: number, sums: PartSum[]): Promise<Buffer> {
  if (part.bytes > largest) throw notABackup(`${part.name} is too large`);
  const chunks: Buffer[] = [];
  for await (const chunk of measure(part, 'document', (sum) => sums.push(sum))) chunks.push(chunk);
  return Buffer.concat(chunks);
}

interface Reading {
  manifest: Manifest;
  sums: PartSum[];
  counts: Map<string, number>;
}

async function* rows(
  parts: AsyncGenerator<Part>,
  { manifest, sums, counts }: Reading,
): AsyncGenerator<RowsOfTable> {
  const { tables } = manifest;
  let bytes = 0;
  for (;;) {
    const { value: part, done } = await parts.next();
    if (done) throw damaged(`${CHECKSUMS} is missing, so it is not complete`);
    if (part.name === CHECKSUMS) {
      compare(sums, readChecksums(await document(part, LARGEST_SUM * (1 + sums.length), [])));
      const { done } = await parts.next();
      if (!done) throw damaged(`something follows after ${CHECKSUMS}`);
      return;
    }
    const [, name = ''] = /^tables\/([^/]+)\//.exec(part.name) ?? [];
    const table = tables.find((table) => table.name === name);
    if (!table) throw damaged(`${part.name} is not in ${MANIFEST}`);
    bytes += part.bytes;
    if (sums.length > SMALL_PARTS + bytes / AVERAGE_BYTES) throw damaged('it has too many small parts');
    let isRead = false;
    const chunks = measure(part, 'rows', (sum) => {
      isRead = true;
      sums.push(sum);
      counts.set(name, (counts.get(name) ?? 0) + (sum.rows ?? 0));
    });
    yield { table, chunks };
    if (!isRead) for await (const _ of chunks);
  }
}

/** In the order they were written in: a part that is missing, doubled or moved is found too. */
function compare(found: readonly PartSum[], written: readonly PartSum[]): void {
  for (let index = 0; index < Math.max(found.length, written.length); index += 1) {
    const [has, wants] = [found[index], written[index]];
    if (!has || has.name !== wants?.name) throw damaged(`${(wants ?? has)?.name} is missing or out of place`);
    if (has.bytes !== wants.bytes || has.sha256 !== wants.sha256 || has.rows !== wants.rows) {
      throw damaged(`${has.name} has been changed since it was written`);
    }
  }
}
