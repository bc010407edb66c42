/** Characters; far above any event. */
const LONGEST = 16_777_216;

/** The lines of a text in UTF-8, without their ends, as many at a time as there are in a chunk. Throws at one without end. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let begun = '';
  for await (const chunk of chunks) {
    const lines = (begun + decoder.decode(chunk, { stream: true })).split('\n');
    begun = lines.pop() ?? '';
    if (begun.length > LONGEST) throw new Error('a line is too long');
    if (lines.length > 0) yield lines;
  }
  const rest = begun + decoder.decode();
  if (rest !== '') yield [rest];
}
