import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Log } from '#src/kernel/log.ts';

/** Work that goes on after its request has been answered. */
export interface Background {
  /** Starts a task; when it fails, `event` is logged with `fields` and the reason. */
  run(event: string, fields: Record<string, unknown>, task: () => Promise<void>): void;
  /** Resolves when nothing is under way any more. Never throws. */
  settle(): Promise<void>;
}

export function createBackground(log: Log): Background {
  const tasks = new Set<Promise<void>>();
  return {
    run: (event, fields, task) => {
      const running = task()
        .catch((error: unknown) => log.error({ ...fields, reason: reasonOf(error) }, event))
        .finally(() => tasks.delete(running));
      tasks.add(running);
    },
    settle: async () => {
      while (tasks.size > 0) await Promise.all(tasks);
    },
  };
}

/** A message may repeat an address or what the database was told; of most errors the code has to do. */
function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.code === 'service_unavailable' ? error.message : error.code;
  return errorCode(error) ?? (error instanceof Error ? error.name : 'unknown');
}
