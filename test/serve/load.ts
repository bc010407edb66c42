import { Agent, get } from 'node:http';
import { errorCode } from '#src/kernel/error-code.ts';

export interface Load {
  /** Answers so far, by status; failures by their code. */
  readonly outcomes: Map<string, number>;
  /** Resolves when every client has had an answer from now on. */
  answered(): Promise<void>;
  /** Asks nothing more, and resolves when the last answer is there. */
  finish(): Promise<void>;
}

/**
 * Asks for the same again and again, over `clients` connections that are kept. `untilClosed`: a client stops when it is
 * told that its connection is closed, as during a stop; else it opens another.
 */
export function startLoad(
  url: string,
  {
    headers = {},
    clients = 4,
    untilClosed = false,
  }: {
    headers?: Record<string, string>;
    clients?: number;
    untilClosed?: boolean;
  } = {},
): Load {
  const outcomes = new Map<string, number>();
  const over = new AbortController();
  const waiting = new Set<(client: number) => void>();
  const note = (client: number, outcome: string) => {
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    for (const look of waiting) look(client);
  };
  const work = async (client: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!over.signal.aborted) {
      const { outcome, isClosed } = await ask(url, headers, agent);
      note(client, outcome);
      if (untilClosed && isClosed) break;
    }
    agent.destroy();
  };
  const running = Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  return {
    outcomes,
    answered: () =>
      new Promise((resolve) => {
        const missing = new Set(Array.from({ length: clients }, (_, client) => client));
        const look = (client: number) => {
          missing.delete(client);
          if (missing.size > 0) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
      }),
    finish: async () => {
      over.abort();
      await running;
    },
  };
}

function ask(
  url: string,
  headers: Record<string, string>,
  agent: Agent,
): Promise<{ outcome: string; isClosed: boolean }> {
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve({ outcome: errorCode(error) ?? error.message, isClosed: true });
    get(url, { headers, agent, timeout: 10_000 }, (response) => {
      const isClosed = response.headers.connection === 'close';
      response.on('error', fail).resume();
      response.on('end', () => resolve({ outcome: String(response.statusCode), isClosed }));
    })
      .on('timeout', function (this: { destroy(error: Error): void }) {
        this.destroy(new Error('no answer in time'));
      })
      .on('error', fail);
  });
}
