import { parseObject, reader } from '#src/backup/document.ts';
import { damaged, notABackup } from '#src/backup/refusals.ts';
import { AppError } from '#src/kernel/errors.ts';

export const MANIFEST = 'manifest.json';
export const SECRET = 'secret_key_base';
export const CHECKSUMS = 'checksums.json';

const FORMAT = 'finance-server backup';
const FORMAT_VERSION = 1;

/** Bytes; longer than any row this service writes, and short enough for the memory of any database. */
export const LONGEST_ROW = 64 * 1024 * 1024;

export interface BackedUpTable {
  name: string;
  /** In the order of the fields of its rows. */
  columns: string[];
}

interface BackedUpSequence {
  name: string;
  /** A whole number, as text because it may be larger than JavaScript's. */
  nextValue: string;
}

/** The first part of a backup: what it is, and how the others are to be read. */
export interface Manifest {
  productVersion: string;
  /** The moment all of it is from; ISO 8601, UTC. */
  createdAt: string;
  /** Names of the migrations the database had run. */
  migrations: string[];
  tables: BackedUpTable[];
  sequences: BackedUpSequence[];
  /** Tables whose rows were not kept. */
  leftOut: string[];
  holdsSecretKeyBase: boolean;
}

export function writeManifest(manifest: Manifest): Buffer {
  const document = {
    format: FORMAT,
    format_version: FORMAT_VERSION,
    product_version: manifest.productVersion,
    created_at: manifest.createdAt,
    migrations: manifest.migrations,
    tables: manifest.tables,
    sequences: manifest.sequences.map(({ name, nextValue }) => ({ name, next_value: nextValue })),
    left_out: manifest.leftOut,
    holds_secret_key_base: manifest.holdsSecretKeyBase,
  };
  return Buffer.from(`${JSON.stringify(document, null, 2)}\n`);
}

/** Throws `validation_failed` for anything that this release did not write, or an older one. */
export function readManifest(content: Buffer): Manifest {
  const document = parseObject(content, MANIFEST);
  if (document.format !== FORMAT) throw notABackup(`${MANIFEST} is that of something else`);
  if (document.format_version !== FORMAT_VERSION) {
    throw new AppError('validation_failed', `The backup has format ${String(document.format_version)}`, {
      hint: `This release reads format ${FORMAT_VERSION}. Restore it with the release that made it, or a newer one.`,
    });
  }
  const read = reader(document, MANIFEST);
  if (read.texts('migrations').length === 0) throw damaged('it is of a database without a schema');
  return {
    productVersion: read.text('product_version'),
    createdAt: readTime(read.text('created_at')),
    migrations: read.texts('migrations'),
    tables: read.objects('tables').map((table) => ({
      name: table.text('name'),
      columns: table.texts('columns'),
    })),
    sequences: read.objects('sequences').map((sequence) => ({
      name: sequence.text('name'),
      nextValue: readWholeNumber(sequence.text('next_value')),
    })),
    leftOut: read.texts('left_out'),
    holdsSecretKeyBase: document.holds_secret_key_base === true,
  };
}

/** One part, as it was written or as it was read. */
export interface PartSum {
  name: string;
  bytes: number;
  sha256: string;
  /** Of a table. */
  rows?: number | undefined;
}

export function writeChecksums(parts: readonly PartSum[]): Buffer {
  return Buffer.from(`${JSON.stringify({ parts }, null, 1)}\n`);
}

export function readChecksums(content: Buffer): PartSum[] {
  const read = reader(parseObject(content, CHECKSUMS), CHECKSUMS);
  return read.objects('parts').map((part) => ({
    name: part.text('name'),
    bytes: part.number('bytes'),
    sha256: part.text('sha256'),
    rows: part.optionalNumber('rows'),
  }));
}

function readTime(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw damaged(`${MANIFEST} has no usable "created_at"`);
  return time.toISOString();
}

/** It becomes a part of an SQL statement. */
function readWholeNumber(text: string): string {
  if (/^-?\d{1,19}$/.test(text)) return text;
  throw damaged(`${MANIFEST} has no usable "next_value"`);
}
