import { isDeepStrictEqual } from 'node:util';
import type { Operations } from '#test/bench/operations.ts';

/** Answers of each operation that are compared. */
const EACH = 8;

/** Refuses to measure servers that do not give the same answers. Answers with how many were compared. */
export async function compareAnswers(
  ports: [number, number],
  key: string,
  operations: Operations,
): Promise<number> {
  const paths = Object.values(operations).flatMap((all) => all.slice(0, EACH));
  for (const path of paths) {
    const [product, bare] = await Promise.all(ports.map((port) => ask(port, key, path)));
    if (!isDeepStrictEqual(product, bare)) {
      throw new WrongAnswer(
        `${path}\n  product: ${JSON.stringify(product)}\n  bare:    ${JSON.stringify(bare)}`,
      );
    }
  }
  return paths.length;
}

/** Two servers, or a server and what is expected, differ: nothing measured would mean anything. */
export class WrongAnswer extends Error {}

async function ask(port: number, key: string, path: string): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'X-Api-Key': key } });
  if (response.status !== 200)
    throw new WrongAnswer(`${path} answers ${response.status}: ${await response.text()}`);
  return response.json();
}
