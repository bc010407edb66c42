import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Data } from '#src/family-data/read-fields.ts';
import { fileDefect } from '#src/imports/readers/file-defect.ts';
import { readFailure } from '#src/imports/readers/read-text.ts';
import { errorCode } from '#src/kernel/error-code.ts';

export interface FamilyRecord {
  /** Counted from 1. */
  line: number;
  type: string;
  data: Data;
}

/** Characters; no record of a ledger comes near. */
const LONGEST_LINE = 1024 * 1024;
const LONGEST_TYPE = 100;
const CHUNK_BYTES = 128 * 1024;
const HINT = 'Nothing of the file came in. Write the export again, and import that.';

/** The records of an NDJSON file, plain or gzipped, in constant memory. Throws `validation_failed` at the first line that is none. */
export async function* readRecords(file: string, label: string): AsyncGenerator<FamilyRecord[]> {
  let line = 0;
  let rest = '';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Buffer) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw fileDefect(label, line + 1, 'has bytes that are not UTF-8, at or after this line', HINT);
    }
  };
  const parse = (texts: string[]) => {
    const first = line + 1;
    line += texts.length;
    return texts.flatMap((text, index) => parseLine(text, label, first + index));
  };

  for await (const chunk of readBytes(file, label)) {
    const lines = (rest + decode(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield parse(lines);
    if (rest.length > LONGEST_LINE) refuseLength(label, line + 1);
  }
  yield parse([rest + decode()]);
}

function parseLine(text: string, label: string, line: number): FamilyRecord[] {
  if (text.length > LONGEST_LINE) refuseLength(label, line);
  if (text.trim() === '') return [];
  const record = parseObject(text);
  if (!record) throw fileDefect(label, line, 'is no JSON object', HINT);
  const { type, data } = record;
  if (typeof type !== 'string' || type === '' || type.length > LONGEST_TYPE || !type.isWellFormed()) {
    throw fileDefect(label, line, 'has no "type"', HINT);
  }
  if (!isObject(data)) throw fileDefect(label, line, 'has no "data"', HINT);
  return [{ line, type, data }];
}

function parseObject(text: string): Data | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuseLength(label: string, line: number): never {
  throw fileDefect(label, line, 'has more than 1 MiB', HINT);
}

async function* readBytes(file: string, label: string): AsyncGenerator<Buffer> {
  try {
    const bytes = createReadStream(file, { highWaterMark: CHUNK_BYTES });
    const chunks: AsyncIterable<Buffer> = (await isGzip(file))
      ? pipeline(bytes, createGunzip(), () => undefined)
      : bytes;
    yield* chunks;
  } catch (error) {
    if (errorCode(error)?.startsWith('Z_')) throw fileDefect(label, 1, 'is damaged gzip', HINT);
    throw readFailure(label, error);
  }
}

async function isGzip(file: string): Promise<boolean> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  return bytesRead === 2 && buffer.readUInt16BE() === 0x1f8b;
}
