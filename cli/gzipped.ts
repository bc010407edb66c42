import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';

/** The same pieces, compressed. */
export function gzipped(chunks: AsyncIterable<string | Uint8Array>): AsyncIterable<Uint8Array> {
  // Whoever reads is told of every error; the callback is only there because pipeline wants one.
  return pipeline(Readable.from(chunks), createGzip(), () => undefined);
}
