import { AggregatorRegistry, type Registry } from '@prometheus-io/client';

/** One metric and its samples, plain enough to be sent to another process. */
export interface Figure {
  name: string;
  help: string;
  type: string;
  aggregator: string;
  values: { labels: object; value: number; metricName?: string }[];
}

export async function figuresOf(register: Registry): Promise<Figure[]> {
  return (await register.getMetricsAsJSON()).map(({ name, help, type, aggregator, values }) => ({
    name,
    help,
    type,
    aggregator,
    values,
  }));
}

/** The figures of several processes as those of one: sums, or what else each figure's nature asks for. */
export function sumFigures(processes: readonly (readonly Figure[])[]): Promise<Figure[]> {
  return figuresOf(AggregatorRegistry.aggregate([...processes]));
}

/** What a process has counted stays counted when it ends: totals must never fall. */
export function countedBy(figures: readonly Figure[]): Figure[] {
  return figures.filter(({ type }) => type === 'counter' || type === 'histogram');
}

/** The text format of Prometheus. */
export function writeFigures(figures: readonly Figure[]): Promise<string> {
  return AggregatorRegistry.aggregate([[...figures]]).metrics();
}
