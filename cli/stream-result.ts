import { StdoutLost } from '#cli/errors.ts';
import type { Io } from '#cli/io.ts';

/** Writes a result of any size, piece by piece, no faster than it is taken. Ends early when nobody reads any more. */
export async function streamResult(
  { results, stdout }: Io,
  chunks: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  let failure: NodeJS.ErrnoException | undefined;
  const fail = (error?: Error) => {
    failure = error;
  };
  results.once?.('error', fail);
  try {
    for await (const chunk of chunks) {
      if (failure) break;
      if (!results.write(chunk)) await drained(results);
    }
  } finally {
    results.off?.('error', fail);
  }
  if (!failure || failure.code === 'EPIPE') return;
  throw results === stdout ? new StdoutLost(failure) : failure;
}

function drained(results: Io['results']): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      results.off?.('drain', go);
      results.off?.('error', go);
      resolve();
    };
    results.once?.('drain', go);
    results.once?.('error', go);
  });
}
