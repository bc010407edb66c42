import type { ClientBase, Connection } from 'pg';

/** Rows in the text format of COPY: UTF-8, a line for each row. */
export interface Block {
  bytes: Buffer;
  rows: number;
}

/** What a block is filled to, unless a single row is larger. */
const BLOCK_BYTES = 4 * 1024 * 1024;

/**
 * Runs `copy … to stdout` and yields its rows in blocks, never more than two of them in memory. node-postgres hands
 * COPY to whatever it is asked to submit; its own queries drop it.
 */
export async function* copyOut(client: ClientBase, text: string): AsyncGenerator<Block> {
  const copy = startCopy(client, text);
  try {
    for (let block = await copy.next(); block; block = await copy.next()) yield block;
  } finally {
    copy.stop();
  }
}

function startCopy(client: ClientBase, text: string) {
  const full: Block[] = [];
  let filling = newBlock(0);
  let connection: Connection | undefined;
  const state: { ended: boolean; failure?: Error | undefined } = { ended: false };
  let news = Promise.withResolvers<void>();

  const finishBlock = (room: number) => {
    if (filling.rows > 0) full.push({ bytes: filling.bytes.subarray(0, filling.used), rows: filling.rows });
    filling = newBlock(room);
    news.resolve();
  };
  const end = (error?: Error) => {
    state.ended = true;
    state.failure = error;
    if (!error) finishBlock(0);
    news.resolve();
  };

  client.query({
    submit: (its: Connection) => {
      connection = its;
      its.query(text);
    },
    handleCopyData: ({ chunk }: { chunk: Buffer }) => {
      if (filling.used + chunk.length > filling.bytes.length) finishBlock(chunk.length);
      // The chunk is a part of the parser's buffer, which is used again.
      filling.used += chunk.copy(filling.bytes, filling.used);
      filling.rows += 1;
      if (full.length > 0) connection?.stream.pause();
    },
    handleCommandComplete: () => undefined,
    handleReadyForQuery: () => end(),
    handleError: (error: Error) => end(error),
  });

  return {
    next: async (): Promise<Block | undefined> => {
      while (full.length === 0 && !state.ended) {
        news = Promise.withResolvers();
        await news.promise;
      }
      const block = full.shift();
      if (block) connection?.stream.resume();
      else if (state.failure) throw state.failure;
      return block;
    },
    /** The server cannot be asked to stop: it waits for us to read. So the connection goes. */
    stop: () => {
      if (!state.ended) connection?.stream.destroy();
    },
  };
}

function newBlock(room: number) {
  return {
    bytes: room === 0 ? Buffer.alloc(0) : Buffer.allocUnsafe(Math.max(room, BLOCK_BYTES)),
    used: 0,
    rows: 0,
  };
}
