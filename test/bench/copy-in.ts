import type pg from 'pg';

/** What pg does for a query, and its types do not tell. */
interface CopyConnection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** COPY … FROM STDIN of data that is at hand, as pg-copy-streams would do it. */
class CopyIn implements pg.Submittable {
  readonly #text: string;
  readonly #chunks: Buffer[];
  readonly #settle: PromiseWithResolvers<void>;
  #error: Error | undefined;

  constructor(text: string, chunks: Buffer[], settle: PromiseWithResolvers<void>) {
    this.#text = text;
    this.#chunks = chunks;
    this.#settle = settle;
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#text);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    for (const chunk of this.#chunks) connection.sendCopyFromChunk(chunk);
    connection.endCopyFrom();
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.#error = error;
    this.#settle.reject(error);
  }

  handleReadyForQuery(): void {
    if (!this.#error) this.#settle.resolve();
  }
}

export function copyIn(client: pg.Client, text: string, chunks: Buffer[]): Promise<void> {
  const settle = Promise.withResolvers<void>();
  client.query(new CopyIn(text, chunks, settle));
  return settle.promise;
}
