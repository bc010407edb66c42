import { type Figure, figuresOf } from '#src/http/metrics/figures.ts';
import { processFigures } from '#src/http/metrics/process-figures.ts';
import type { RequestTimes } from '#src/http/metrics/request-times.ts';
import { sharedFigures } from '#src/http/metrics/shared-figures.ts';
import type { Runtime } from '#src/kernel/work.ts';

interface MetricsWriter {
  /** What this process knows of itself and of its database, anew at each call. */
  write(): Promise<string>;
  /** Of itself alone. */
  figures(): Promise<Figure[]>;
}

export function createMetricsWriter(runtime: Runtime, times: RequestTimes): MetricsWriter {
  const own = processFigures(runtime, times);
  const shared = sharedFigures(runtime);
  return {
    write: async () => `${await own.metrics()}\n${await (await shared()).metrics()}`,
    figures: () => figuresOf(own),
  };
}
