/** Upper bounds of the buckets, in seconds. */
export const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const CLASSES = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;

export interface Series {
  /** A pattern such as `/api/v1/transactions/:id`, never a path somebody has asked for. */
  readonly route: string;
  readonly method: string;
  /** Class of status, such as `2xx`. */
  readonly status: string;
  /** For each bound how many took up to it and more than the one before; the last for everything longer. */
  readonly buckets: number[];
  /** Seconds. */
  sum: number;
}

/** How long answers have taken since this process began. Two look-ups and a short loop for each request. */
export class RequestTimes {
  readonly #routes = new Map<string, Map<string, (Series | undefined)[]>>();

  add(route: string, method: string, status: number, seconds: number): void {
    const series = this.#series(route, METHODS.has(method) ? method : 'other', Math.floor(status / 100));
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] ?? 0)) bucket += 1;
    series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
    series.sum += seconds;
  }

  list(): Series[] {
    return [...this.#routes.values()]
      .flatMap((methods) => [...methods.values()].flat())
      .filter((series) => series !== undefined);
  }

  #series(route: string, method: string, digit: number): Series {
    const known = this.#routes.get(route)?.get(method)?.[digit];
    if (known) return known;
    const buckets = [...BOUNDS, Infinity].map(() => 0);
    const series = { route, method, status: CLASSES[digit] ?? 'none', buckets, sum: 0 };
    const methods = this.#routes.get(route) ?? new Map<string, (Series | undefined)[]>();
    const classes = methods.get(method) ?? [];
    classes[digit] = series;
    methods.set(method, classes);
    this.#routes.set(route, methods);
    return series;
  }
}
