import cluster from 'node:cluster';
import { join } from 'node:path';
import type { Figure } from '#src/http/metrics/figures.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Log } from '#src/kernel/log.ts';
import { WorkerProcess } from '#src/serve/worker-process.ts';

const ENTRY = join(import.meta.dirname, '../worker.ts');

/** So many may end by themselves within a minute; when there are more, something is wrong with all of them. */
const PERIOD_MS = 60_000;
const FEWEST_LOSSES = 10;

interface CrewOptions {
  size: number;
  /** Free, and the same for all. */
  port: number;
  log: Log;
  /** Writes the metrics of all processes. */
  writeMetrics(): Promise<string>;
}

/** The processes that answer requests on one port. One that ends by itself is replaced. */
export class Crew {
  /** Rejects when they end again and again. */
  readonly lost: Promise<never>;
  readonly #options: CrewOptions;
  readonly #workers = new Set<WorkerProcess>();
  readonly #giveUp: (reason: AppError) => void;
  /** When workers ended, in milliseconds; only the last minute counts. */
  #losses: number[] = [];
  #past: Figure[] = [];
  #renewing: Promise<void> | undefined;
  #isStopping = false;

  constructor(options: CrewOptions) {
    const { promise, reject } = Promise.withResolvers<never>();
    this.#options = options;
    this.lost = promise;
    this.lost.catch(() => undefined);
    this.#giveUp = reject;
    cluster.setupPrimary({ exec: ENTRY, args: process.argv.slice(2), serialization: 'advanced' });
  }

  /** Resolves once all listen; throws when one of them cannot. */
  async start(): Promise<void> {
    const workers = Array.from({ length: this.#options.size }, () => this.#enlist());
    await Promise.all(workers.map(({ ready }) => ready));
    for (const worker of workers) void this.#keep(worker);
  }

  /** Replaces one after another, so that all but one answer at any time. They read their files anew. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renewAll().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async stop(wait: number): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#workers].map((worker) => worker.dismiss(wait)));
  }

  /** What each knows of itself, and what those have counted that are gone. */
  async figures(): Promise<Figure[][]> {
    const present = await Promise.all([...this.#workers].map((worker) => worker.askFigures()));
    return [this.#past, ...present];
  }

  #enlist(): WorkerProcess {
    const { port } = this.#options;
    const worker = new WorkerProcess({ PORT: String(port) }, () => this.#options.writeMetrics());
    this.#workers.add(worker);
    void this.#watch(worker);
    return worker;
  }

  async #watch(worker: WorkerProcess): Promise<void> {
    const { log } = this.#options;
    const { code, signal } = await worker.ended;
    this.#workers.delete(worker);
    const fields = { worker: worker.pid, code, signal };
    if (worker.isDismissed) log.debug(fields, 'worker_ended');
    else log.warn(fields, 'worker_ended');
    await this.#remember(worker.figures);
  }

  /** From now on it is replaced when it ends by itself. */
  async #keep(worker: WorkerProcess): Promise<void> {
    await worker.ended;
    if (!worker.isDismissed && !this.#isStopping) this.#replace();
  }

  #replace(): void {
    const now = performance.now();
    this.#losses = [...this.#losses.filter((at) => now - at < PERIOD_MS), now];
    const most = Math.max(FEWEST_LOSSES, 2 * this.#options.size);
    if (this.#losses.length > most) this.#giveUp(endAgainAndAgain(this.#losses.length));
    else void this.#keep(this.#enlist());
  }

  async #renewAll(): Promise<void> {
    const { log } = this.#options;
    log.info('workers_renewing');
    const present = Array.from(this.#workers);
    for (const old of present) {
      if (this.#isStopping) return;
      const fresh = this.#enlist();
      try {
        await fresh.ready;
      } catch {
        // It has said why; the others go on as they are.
        log.error('workers_not_renewed');
        return;
      }
      void this.#keep(fresh);
      await old.dismiss(0);
    }
    log.info('workers_renewed');
  }

  async #remember(figures: Figure[]): Promise<void> {
    if (figures.length === 0) return;
    const { countedBy, sumFigures } = await import('#src/http/metrics/figures.ts');
    this.#past = await sumFigures([this.#past, countedBy(figures)]);
  }
}

function endAgainAndAgain(count: number): AppError {
  return new AppError(
    'internal_server_error',
    `The processes that answer requests end again and again: ${count} times within a minute`,
    { hint: 'The log says with what code or signal (worker_ended); SIGKILL is often a lack of memory.' },
  );
}
