import { createHash } from 'node:crypto';
import { LONGEST_ROW, type PartSum } from '#src/backup/manifest.ts';
import type { Part } from '#src/backup/read-parts.ts';
import { damaged } from '#src/backup/refusals.ts';

const LINE_FEED = 0x0a;

/** The content of a part as it is, while its sum is taken; `sum` is told at its end. */
export async function* measure(
  { name, content }: Part,
  kind: 'rows' | 'document',
  sum: (sum: PartSum) => void,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let bytes = 0;
  let rows = 0;
  let sinceLine = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    bytes += chunk.length;
    if (kind === 'rows') {
      const counted = countLines(chunk);
      rows += counted.lines;
      sinceLine = counted.lines === 0 ? sinceLine + chunk.length : counted.rest;
      if (sinceLine > LONGEST_ROW) throw damaged(`${name} has a row that is too long`);
    }
    yield chunk;
  }
  if (sinceLine > 0) throw damaged(`${name} ends within a row`);
  sum({ name, bytes, sha256: hash.digest('hex'), rows: kind === 'rows' ? rows : undefined });
}

function countLines(chunk: Buffer): { lines: number; rest: number } {
  let lines = 0;
  let after = 0;
  for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, after)) {
    lines += 1;
    after = at + 1;
  }
  return { lines, rest: chunk.length - after };
}
