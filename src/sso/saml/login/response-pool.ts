import { availableParallelism } from 'node:os';
import type { Piscina } from 'piscina';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { ResponseCheck, ResponseVerdict } from '#src/sso/saml/login/response-check.ts';

/** Judges responses on threads of their own: a large or wicked one must not keep everybody else waiting. */
export interface ResponsePool {
  /** Throws `LoginRefused` when a response takes too long, or brings its thread down. */
  validate(check: ResponseCheck): Promise<ResponseVerdict>;
  /** Has a thread ready for somebody who is on the way: starting one takes longer than the response itself. */
  warmUp(): void;
  close(): void;
}

export interface ResponsePoolOptions {
  /** Milliseconds for one response, with the time it waits for a thread. */
  timeout?: number | undefined;
}

const TIMEOUT = 10_000;
const IDLE = 120_000;
const LONGEST_QUEUE = 200;
const MEMORY = { maxOldGenerationSizeMb: 192 };

/** Threads begin when somebody is on the way, and end when nobody has been for a while. */
export function createResponsePool({ timeout = TIMEOUT }: ResponsePoolOptions = {}): ResponsePool {
  let opening: Promise<Threads> | undefined;
  return {
    validate: async (check) => {
      opening ??= openPool();
      try {
        const threads = await opening;
        return await threads.run(check, { signal: AbortSignal.timeout(timeout) });
      } catch (error) {
        const isLate = error instanceof Error && error.name === 'AbortError';
        throw new LoginRefused('message_invalid', isLate ? 'took too long' : 'not judged');
      }
    },
    warmUp: () => {
      opening ??= openPool();
      void opening.then(startThread).catch(() => undefined);
    },
    close: () => {
      // Threads that are waited for would hold the process back.
      void opening?.then((threads) => threads.destroy());
      opening = undefined;
    },
  };
}

type Threads = Piscina<ResponseCheck, ResponseVerdict>;

async function startThread(threads: Threads): Promise<void> {
  if (threads.threads.length === 0) await threads.run(NOTHING);
}

/** Refused at the first step. */
const NOTHING: ResponseCheck = {
  message: '',
  party: { entityId: '', certificates: [], nameIdFormat: '' },
  policy: {
    allowSha1: false,
    decryptionKey: undefined,
    requireEncryptedAssertions: false,
    groupAttribute: undefined,
    attributes: {},
  },
  entityId: '',
  acsUrl: '',
  answers: 'nothing',
  now: 0,
  thorough: false,
};

/** Loaded by those alone who need it: most commands never do. */
async function openPool(): Promise<Threads> {
  const { Piscina } = await import('piscina');
  const threads: Threads = new Piscina({
    filename: new URL('./validate-response.ts', import.meta.url).href,
    name: 'validateResponse',
    minThreads: 0,
    maxThreads: Math.max(1, Math.floor(availableParallelism() / 2)),
    idleTimeout: IDLE,
    maxQueue: LONGEST_QUEUE,
    resourceLimits: MEMORY,
  });
  // Without a listener, a thread that dies while it judges nothing would bring the process down.
  threads.on('error', () => undefined);
  return threads;
}
