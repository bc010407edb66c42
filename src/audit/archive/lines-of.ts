/** The lines of a text in UTF-8, without their ends, as many at a time as there are in a chunk. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let begun = '';
  for await (const chunk of chunks) {
    const lines = (begun + decoder.decode(chunk, { stream: true })).split('\n');
    begun = lines.pop() ?? '';
    if (lines.length > 0) yield lines;
  }
  const rest = begun + decoder.decode();
  if (rest !== '') yield [rest];
}
