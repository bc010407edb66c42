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

const LARGEST: Readonly<Record<string, number>> = {
  [MANIFEST]: 4 * 1024 * 1024,
  [SECRET]: 4096,
  [CHECKSUMS]: 64 * 1024 * 1024,
};

/** Reads a backup in one pass, in constant memory; believes nothing in it. Throws `validation_failed`. */
export async function openBackup(file: Readable): Promise<OpenBackup> {
  const parts = readParts(file);
  const sums: PartSum[] = [];
  try {
    const manifest = readManifest(await document(await expectPart(parts, MANIFEST), sums));
    const counts = new Map(manifest.tables.map(({ name }) => [name, 0]));
    const secret = manifest.holdsSecretKeyBase
      ? await document(await expectPart(parts, SECRET), sums)
      : undefined;
    return {
      manifest,
      secretKeyBase: secret?.toString('utf8').trim(),
      counts,
      rows: () => rows(parts, { manifest, sums, counts }),
      close: async () => void (await parts.return(undefined)),
    };
  } catch (error) {
    await parts.return(undefined);
    throw error;
  }
}

async function expectPart(parts: AsyncGenerator<Part>, name: string): Promise<Part> {
  const { value, done } = await parts.next();
  if (done) throw notABackup('it is empty');
  if (value.name !== name) throw notABackup(`${name} is not where it should be`);
  return value;
}

async function document(part: Part, sums: PartSum[]): Promise<Buffer> {
  if (part.bytes > (LARGEST[part.name] ?? 0)) throw notABackup(`${part.name} is too large`);
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
  for (;;) {
    const { value: part, done } = await parts.next();
    if (done) throw damaged(`${CHECKSUMS} is missing, so it is not complete`);
    if (part.name === CHECKSUMS) {
      compare(sums, readChecksums(await document(part, [])));
      const { done } = await parts.next();
      if (!done) throw damaged(`something follows after ${CHECKSUMS}`);
      return;
    }
    const [, name = ''] = /^tables\/([^/]+)\//.exec(part.name) ?? [];
    const table = tables.find((table) => table.name === name);
    if (!table) throw damaged(`${part.name} is not in ${MANIFEST}`);
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
