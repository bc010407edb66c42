import { isAscii } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { TextDecoder } from 'node:util';
import { fileDefect } from '#src/imports/readers/file-defect.ts';
import { AppError } from '#src/kernel/errors.ts';

const HEAD_BYTES = 256 * 1024;
const CHUNK_BYTES = 128 * 1024;
const READ_HINT = 'Check the path and that this user may read the file.';

/** The first 256 KiB; `whole` when there is no more. */
export async function readHead(path: string, label: string): Promise<{ head: Buffer; whole: boolean }> {
  try {
    await using file = await open(path);
    if (!(await file.stat()).isFile()) throw fileDefect(label, 1, 'is not a regular file', READ_HINT);
    const buffer = Buffer.alloc(HEAD_BYTES + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return { head: buffer.subarray(0, Math.min(bytesRead, HEAD_BYTES)), whole: bytesRead <= HEAD_BYTES };
  } catch (error) {
    throw readFailure(label, error);
  }
}

/** The file as text with \n line ends and no byte order mark, piece by piece. Refuses NUL and undecodable bytes by line. */
export async function* readText(path: string, label: string, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let line = 1;
  let carriageReturn = '';
  for await (const chunk of readChunks(path, label)) {
    const text = carriageReturn + decode(decoder, chunk, label, line);
    // A \r that ends the piece may be half of a \r\n.
    carriageReturn = text.endsWith('\r') ? '\r' : '';
    const piece = unixLines(carriageReturn ? text.slice(0, -1) : text);
    line += countLines(piece, label, line);
    yield piece;
  }
  const rest = carriageReturn + decode(decoder, undefined, label, line);
  if (rest !== '') yield unixLines(rest);
}

/** Whether every byte of the file is valid UTF-8. */
export async function isUtf8File(path: string, label: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    let isPlain = true;
    for await (const chunk of readChunks(path, label)) {
      // Most statements are ASCII from beginning to end, which is found out much faster.
      isPlain &&= isAscii(chunk);
      if (!isPlain) decoder.decode(chunk, { stream: true });
    }
    decoder.decode();
    return true;
  } catch (error) {
    if (isDecodingError(error)) return false;
    throw error;
  }
}

export function unixLines(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

async function* readChunks(path: string, label: string): AsyncGenerator<Buffer> {
  try {
    const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: CHUNK_BYTES });
    yield* chunks;
  } catch (error) {
    throw readFailure(label, error);
  }
}

function decode(decoder: TextDecoder, chunk: Buffer | undefined, label: string, line: number): string {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
  } catch (error) {
    if (!isDecodingError(error)) throw error;
    const hint = 'Say which encoding the file has, such as windows-1252.';
    throw fileDefect(label, line, `has bytes that are not ${decoder.encoding}, at or after this line`, hint);
  }
}

function countLines(piece: string, label: string, first: number): number {
  const nul = piece.indexOf('\0');
  const end = nul === -1 ? piece.length : nul;
  let lines = 0;
  for (let i = piece.indexOf('\n'); i !== -1 && i < end; i = piece.indexOf('\n', i + 1)) lines += 1;
  if (nul === -1) return lines;
  const hint = 'Export the statement as CSV or OFX.';
  throw fileDefect(label, first + lines, 'has a NUL character: this is no text file', hint);
}

function isDecodingError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
}

export function readFailure(label: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const code = 'code' in error ? String(error.code) : error.message;
  if (code === 'ENOENT')
    return new AppError('not_found', `${label}: there is no such file`, { hint: READ_HINT });
  const why = { EACCES: 'may not be read', EISDIR: 'is a directory' }[code] ?? `cannot be read (${code})`;
  return fileDefect(label, 1, why, READ_HINT);
}
