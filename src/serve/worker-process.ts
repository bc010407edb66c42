import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Figure } from '#src/http/metrics/figures.ts';
import { AppError } from '#src/kernel/errors.ts';
import { isReport, type Order } from '#src/serve/link.ts';

/** One that is too busy to answer is left out, with what it told the last time. */
const FIGURES_MS = 2_000;
/** Above the ten seconds in which a server ends by itself. */
const STOP_MS = 12_000;

export interface Ending {
  code: number | null;
  signal: string | null;
}

/** A process that answers requests, as its leader sees it. */
export class WorkerProcess {
  /** Rejects when it ends before it listens. */
  readonly ready: Promise<void>;
  readonly ended: Promise<Ending>;
  /** Whether its end was wished for. */
  isDismissed = false;
  #isReady = false;
  /** What it has last told. */
  figures: Figure[] = [];
  readonly #worker: Worker;
  readonly #asked = new Map<number, () => void>();
  #questions = 0;

  /** `onWish` writes the metrics of all, for a worker that was asked for them. */
  constructor(env: Record<string, string>, onWish: () => Promise<string>) {
    const ready = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<Ending>();
    this.ready = ready.promise;
    this.ended = ended.promise;
    // Nobody need wait for it.
    this.ready.catch(() => undefined);

    this.#worker = cluster.fork(env);
    this.#worker.on('message', (message: unknown) => {
      if (!isReport(message)) return;
      if (message.report === 'ready') {
        this.#isReady = true;
        ready.resolve();
      }
      if (message.report === 'wants_metrics') void this.#answer(message.id, onWish);
      if (message.report === 'figures' || message.report === 'done') this.figures = message.figures;
      if (message.report === 'figures') this.#asked.get(message.id)?.();
    });
    this.#worker.on('error', () => undefined);
    this.#worker.on('exit', (code: number | null, signal: string | null) => {
      ready.reject(endedEarly());
      ended.resolve({ code, signal });
      for (const settle of this.#asked.values()) settle();
    });
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  /** Asks for figures; what cannot be had in time is as it was. */
  async askFigures(): Promise<Figure[]> {
    if (!this.#isReady) return this.figures;
    this.#questions += 1;
    const id = this.#questions;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#asked.set(id, resolve);
    this.#say({ order: 'tell_figures', id });
    await Promise.race([promise, delay(FIGURES_MS, undefined, { ref: false })]);
    this.#asked.delete(id);
    return this.figures;
  }

  /** Resolves when it has ended: by itself after `wait` milliseconds and the requests in flight, or by force. */
  async dismiss(wait: number): Promise<void> {
    this.isDismissed = true;
    // One that does not answer yet need not come so far; this also reaches it before it listens to orders.
    if (this.#isReady) this.#say({ order: 'stop', wait });
    else this.#worker.process.kill('SIGTERM');
    const late = delay(wait + STOP_MS, 'late' as const, { ref: false });
    if ((await Promise.race([this.ended, late])) === 'late') this.#worker.process.kill('SIGKILL');
    await this.ended;
  }

  async #answer(id: number, write: () => Promise<string>): Promise<void> {
    const text = await write().catch(() => undefined);
    this.#say({ order: 'take_metrics', id, text });
  }

  #say(order: Order): void {
    // It may be gone by now; its exit tells the rest.
    if (this.#worker.isConnected()) this.#worker.send(order, () => undefined);
  }
}

function endedEarly(): AppError {
  return new AppError(
    'internal_server_error',
    'A process that was to answer requests ended before it could',
    {
      hint: 'What it said itself, if anything, stands above.',
    },
  );
}
