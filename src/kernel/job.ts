import type { Runtime, Work } from '#src/kernel/work.ts';

/** What work that is too long for one transaction gets. It can be stopped between two of them, and run again. */
export interface Job {
  readonly runtime: Runtime;
  /** Aborted when the work is to stop; nothing new may be begun from then on. */
  readonly signal: AbortSignal;
  /** Everything is done, and nothing saved. */
  readonly dryRun: boolean;
  /** One unit of work, saved by itself. */
  perform<Result>(task: (work: Work) => Promise<Result>): Promise<Result>;
}
