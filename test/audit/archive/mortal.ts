import type { ArchiveOptions } from '#src/audit/archive/archive-audit-events.ts';
import type { ArchiveTarget } from '#src/audit/archive/targets/target.ts';
import type { Job } from '#src/kernel/job.ts';
import type { Runtime } from '#src/kernel/work.ts';
import { jobOn } from '#test/audit/archive/support.ts';

export class Killed extends Error {}

/**
 * A run that dies at its nth step, or before or after its nth use of the target: from then on it reaches neither the
 * database nor the target any more, as a process that was killed, so it also keeps its lease.
 */
export function mortalRun(runtime: Runtime, target: ArchiveTarget, diesAt: number) {
  let points = 0;
  let isDead = false;
  const live = () => {
    if (isDead) throw new Killed('dead');
  };
  const point = () => {
    live();
    points += 1;
    isDead = points === diesAt;
    live();
  };
  const mortal: Runtime = {
    ...runtime,
    pool: new Proxy(runtime.pool, {
      get: (pool, name) => {
        const value = Reflect.get(pool, name);
        if (typeof value !== 'function') return value;
        if (name === 'query' || name === 'connect') {
          return (...all: unknown[]) =>
            isDead ? Promise.reject(new Killed('dead')) : value.apply(pool, all);
        }
        return value.bind(pool);
      },
    }),
    entityManager: () => (isDead ? Promise.reject(new Killed('dead')) : runtime.entityManager()),
  };
  const options: ArchiveOptions = { watch: point, target: dying(target, point), batchSize: 2 };
  const job: Job = jobOn(mortal);
  return {
    job,
    options,
    get points() {
      return points;
    },
    get isDead() {
      return isDead;
    },
  };
}

function dying(target: ArchiveTarget, point: () => void): ArchiveTarget {
  const around = async <Result>(work: () => Promise<Result>) => {
    point();
    const result = await work();
    point();
    return result;
  };
  return {
    ...target,
    put: (file) => around(() => target.put(file)),
    open: async (path) => {
      point();
      const content = await target.open(path);
      try {
        point();
      } catch (error) {
        content.destroy();
        throw error;
      }
      return content;
    },
    remove: (path) => around(() => target.remove(path)),
  };
}
