import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ID_END, idOfLine } from '#src/audit/archive/files/id-of-line.ts';

/** What an archive's file turns out to be. */
export interface ExaminedFile {
  bytes: number;
  sha256: string;
  rows: number;
  firstId: string;
  lastId: string;
}

const LINE_END = 0x0a;

/** Reads a whole archive: its hash, and what is in it. Throws when it is not compressed lines of events. */
export async function examineFile(source: AsyncIterable<Uint8Array>): Promise<ExaminedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  const watched = async function* () {
    for await (const chunk of source) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  const heads = lineHeads();
  const text = pipeline(watched, createGunzip({ chunkSize: 65_536 }), () => undefined);
  for await (const chunk of text) heads.add(chunk);
  const { rows, first, last } = heads.result();
  return { bytes, sha256: hash.digest('hex'), rows, firstId: idOfLine(first), lastId: idOfLine(last) };
}

/** Counts lines, and keeps how the first and the last one begin, without making text of all of them. */
function lineHeads() {
  let rows = 0;
  let first: Buffer = Buffer.alloc(0);
  let last: Buffer = Buffer.alloc(0);
  let open: Buffer = Buffer.alloc(0);

  const add = (chunk: Buffer) => {
    if (first.length < ID_END) first = Buffer.concat([first, chunk.subarray(0, ID_END - first.length)]);
    const end = chunk.lastIndexOf(LINE_END);
    if (end === -1) {
      open = Buffer.concat([open, chunk.subarray(0, ID_END)]);
      return;
    }
    const before = end === 0 ? -1 : chunk.lastIndexOf(LINE_END, end - 1);
    last =
      before === -1
        ? Buffer.concat([open, chunk.subarray(0, ID_END)])
        : chunk.subarray(before + 1, before + 1 + ID_END);
    open = chunk.subarray(end + 1, end + 1 + ID_END);
    for (let at = chunk.indexOf(LINE_END); at !== -1; at = chunk.indexOf(LINE_END, at + 1)) rows += 1;
  };
  const result = () => {
    if (open.length > 0) throw new Error('the last line has no end');
    return { rows, first: first.toString('latin1'), last: last.toString('latin1') };
  };
  return { add, result };
}
