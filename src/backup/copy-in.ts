import { once } from 'node:events';
import type { ClientBase, Connection } from 'pg';

// Messages of PostgreSQL's protocol, version 3: CopyData, CopyDone and CopyFail.
const DATA = 0x64;
const DONE = Buffer.from([0x63, 0, 0, 0, 4]);
const FAIL = Buffer.from([0x66, 0, 0, 0, 5, 0]);

/** Runs `copy … from stdin` with these rows, in its text format, and answers with how many there were. */
export async function copyIn(
  client: ClientBase,
  text: string,
  chunks: AsyncIterable<Buffer>,
): Promise<number> {
  const { ready, done } = startCopy(client, text);
  const { stream } = await ready;
  try {
    for await (const chunk of chunks) {
      const header = Buffer.alloc(5);
      header.writeUInt8(DATA);
      header.writeUInt32BE(chunk.length + 4, 1);
      stream.write(header);
      if (!stream.write(chunk)) await takenFrom(stream, done);
    }
  } catch (error) {
    stream.write(FAIL);
    await done.catch(() => undefined);
    throw error;
  }
  stream.write(DONE);
  return done;
}

function startCopy(client: ClientBase, text: string) {
  const ready = Promise.withResolvers<Connection>();
  const done = Promise.withResolvers<number>();
  done.promise.catch(() => undefined);
  let rows = 0;
  client.query({
    submit: (connection: Connection) => connection.query(text),
    handleCopyInResponse: (connection: Connection) => ready.resolve(connection),
    handleCommandComplete: ({ text: tag }: { text: string }) => {
      rows = Number(/^COPY (\d+)$/.exec(tag)?.[1] ?? 0);
    },
    handleReadyForQuery: () => done.resolve(rows),
    handleError: (error: Error) => {
      ready.reject(error);
      done.reject(error);
    },
  });
  return { ready: ready.promise, done: done.promise };
}

/** Waits until the connection takes more; throws when the server has refused what it got. */
async function takenFrom(stream: Connection['stream'], done: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([once(stream, 'drain', { signal: over.signal }), done]);
  } finally {
    over.abort();
  }
}
