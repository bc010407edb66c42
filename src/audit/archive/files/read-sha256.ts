import { createHash } from 'node:crypto';

/** In lower-case hex, of everything that comes. */
export async function readSha256(source: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of source) hash.update(chunk);
  return hash.digest('hex');
}
