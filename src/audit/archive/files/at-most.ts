/** The beginning of `source`, and one chunk more than `bytes` where it is longer: enough to tell that it is another. */
export async function* atMost(source: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let passed = 0;
  for await (const chunk of source) {
    yield chunk;
    passed += chunk.length;
    if (passed > bytes) return;
  }
}
