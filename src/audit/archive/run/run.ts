import type { ArchiveTarget } from '#src/audit/archive/targets/target.ts';
import type { Job } from '#src/kernel/job.ts';
import type { Lease } from '#src/kernel/lease.ts';
import type { Work } from '#src/kernel/work.ts';

/** The lease of everything that moves events between the database and archives. */
export const RETENTION_LEASE = 'audit_retention';

/** Something has been completed: a run may end here and another go on. */
export interface Step {
  name:
    | 'day_written'
    | 'file_stored'
    | 'file_verified'
    | 'manifest_stored'
    | 'day_recorded'
    | 'day_changed'
    | 'archive_checked'
    | 'events_removed'
    | 'archive_removed'
    | 'day_restored'
    | 'archive_examined';
  day?: string | undefined;
  rows?: number | undefined;
}

/** Told after each step; what it throws ends the run there. */
export type Watch = (step: Step) => void | Promise<void>;

/** A run that has the lease. */
export interface Run {
  job: Job;
  lease: Lease;
  target: ArchiveTarget;
  step: Watch;
  /** One unit of work, saved only while the lease is ours. */
  perform<Result>(task: (work: Work) => Promise<Result>): Promise<Result>;
}

/** Whatever the database's default is: what was committed while the lease was waited for must be counted. */
const SEE_WHAT_IS_COMMITTED = 'set transaction isolation level read committed';

export function createRun(
  job: Job,
  lease: Lease,
  target: ArchiveTarget,
  watch: Watch = () => undefined,
): Run {
  return {
    job,
    lease,
    target,
    step: async (step) => {
      await watch(step);
      job.signal.throwIfAborted();
    },
    perform: (task) =>
      job.perform(async (work) => {
        await work.sql(SEE_WHAT_IS_COMMITTED);
        await lease.prove(work);
        return task(work);
      }),
  };
}
