import { Gauge, Registry } from '@prometheus-io/client';
import { type Figure, figuresOf, sumFigures, writeFigures } from '#src/http/metrics/figures.ts';
import { sharedFigures } from '#src/http/metrics/shared-figures.ts';
import type { Runtime } from '#src/kernel/work.ts';

/** Writes what several processes know of themselves, summed up, and what they share, once. */
export function createSumWriter(runtime: Runtime, figures: () => Promise<Figure[][]>): () => Promise<string> {
  const shared = sharedFigures(runtime);
  const leader = startTime();
  return async () => {
    const [own, common] = await Promise.all([figures(), shared()]);
    return writeFigures([
      ...(await sumFigures(own)),
      ...(await figuresOf(leader)),
      ...(await figuresOf(common)),
    ]);
  };
}

/** The service is as old as the process that leads the others. */
function startTime(): Registry {
  const register = new Registry();
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the service was started, in seconds since 1970',
    registers: [register],
  }).set(Math.round(performance.timeOrigin / 1_000));
  return register;
}
