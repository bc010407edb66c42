import { type DayFile, writeDay } from '#src/audit/archive/files/write-day.ts';
import type { Runtime } from '#src/kernel/work.ts';

/**
 * The files of these days, one after another; the next is written while the one before is stored. Days without events
 * are left out. Each file is closed when the next one is asked for.
 */
export async function* writtenDays(
  runtime: Pick<Runtime, 'pool'>,
  days: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<{ day: string; file: DayFile }> {
  const begin = (day: string | undefined) => {
    if (day === undefined) return undefined;
    const file = writeDay(runtime, day, signal);
    // It may fail while nobody waits for it.
    file.catch(() => undefined);
    return { day, file };
  };
  let next = begin(days[0]);
  try {
    for (let index = 1; next; index += 1) {
      const { day } = next;
      const file = await next.file;
      next = begin(days[index]);
      if (!file) continue;
      try {
        yield { day, file };
      } finally {
        await file.close();
      }
    }
  } finally {
    await next?.file.then((file) => file?.close()).catch(() => undefined);
  }
}
