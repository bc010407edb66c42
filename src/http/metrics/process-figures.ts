import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricValueWithName,
  Registry,
} from '@prometheus-io/client';
import { BOUNDS, type RequestTimes, type Series } from '#src/http/metrics/request-times.ts';
import type { TallyName } from '#src/kernel/tally.ts';
import type { Runtime } from '#src/kernel/work.ts';

/** What this process knows of itself, as it is when the registry is asked. Asks no database. */
export function processFigures(runtime: Runtime, times: RequestTimes): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  register.registerMetric(answersCounter(times));
  register.registerMetric(new RequestDurations(times));
  countLogins(register, runtime);
  register.registerMetric(poolGauge(runtime));
  return register;
}

function answersCounter(times: RequestTimes): Counter<'status'> {
  return new Counter({
    name: 'http_responses_total',
    help: 'Answers, by class of status',
    labelNames: ['status'],
    registers: [],
    collect() {
      this.reset();
      for (const { status, buckets } of times.list()) this.inc({ status }, total(buckets));
    },
  });
}

const DURATIONS = {
  name: 'http_request_duration_seconds',
  help: 'Time until an answer was given, by pattern of the path, method and class of status',
};

type Labels = 'route' | 'method' | 'status' | 'le';

/** Reads what has been counted outside of it: requests do not wait for its own bookkeeping. */
class RequestDurations extends Histogram<Labels> {
  readonly times: RequestTimes;

  constructor(times: RequestTimes) {
    super({ ...DURATIONS, registers: [] });
    this.times = times;
  }

  override async get(): ReturnType<Histogram<Labels>['get']> {
    const { name, help } = DURATIONS;
    const values = this.times.list().flatMap(samplesOf);
    return { name, help, type: 'histogram', aggregator: 'sum', collect: () => undefined, values };
  }

  /** What the registry calls, where it exists, to write text. */
  getForPromString(): ReturnType<Histogram<Labels>['get']> {
    return this.get();
  }
}

function samplesOf({ route, method, status, buckets, sum }: Series): MetricValueWithName<Labels>[] {
  const labels = { route, method, status };
  let below = 0;
  const bounded = [...BOUNDS, '+Inf'].map((le, index) => {
    below += buckets[index] ?? 0;
    return { metricName: `${DURATIONS.name}_bucket`, labels: { ...labels, le }, value: below };
  });
  return [
    ...bounded,
    { metricName: `${DURATIONS.name}_sum`, labels, value: sum },
    { metricName: `${DURATIONS.name}_count`, labels, value: below },
  ];
}

function countLogins(register: Registry, { tally }: Runtime): void {
  const counter = (name: string, help: string, labelNames: string[], source: TallyName) =>
    new Counter({
      name,
      help,
      labelNames,
      registers: [register],
      collect() {
        this.reset();
        for (const { labels, value } of tally.list(source)) this.inc({ ...labels }, value);
      },
    });
  counter('logins_total', 'Sign-ins by identity provider; local: by password', ['provider'], 'logins');
  counter(
    'login_failures_total',
    'Sign-ins that failed, as recorded in the audit log',
    ['provider', 'reason'],
    'login_failures',
  );
}

function poolGauge({ pool }: Runtime): Gauge<'state'> {
  return new Gauge({
    name: 'database_pool_connections',
    help: 'Connections to the database; waiting: requests that wait for one',
    labelNames: ['state'],
    registers: [],
    collect() {
      this.set({ state: 'total' }, pool.totalCount);
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
}

const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
