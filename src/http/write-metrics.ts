import { Counter, collectDefaultMetrics, Gauge, Registry } from '@prometheus-io/client';
import { sqlOn } from '#src/kernel/sql-on.ts';
import type { TallyName } from '#src/kernel/tally.ts';
import type { Runtime } from '#src/kernel/work.ts';
import { listProviderFigures, type ProviderFigures } from '#src/sso/providers/provider-figures.ts';
import { openProviderSource, type ProviderSource } from '#src/sso/providers/provider-source.ts';

/** Writes everything this process knows of itself, anew at each call. `answers` by class of status. */
export function metricsWriter(runtime: Runtime, answers: ReadonlyMap<string, number>): () => Promise<string> {
  const register = new Registry();
  collectDefaultMetrics({ register });
  countAnswers(register, answers);
  countLogins(register, runtime);
  measurePool(register, runtime);
  const measureProviders = providerGauges(register);
  let source: Promise<ProviderSource> | undefined;
  return async () => {
    try {
      source ??= openProviderSource(runtime);
      measureProviders(await listProviderFigures(await source, sqlOn(runtime.pool), runtime.now()));
    } catch (error) {
      // Whatever the matter is, everything else is worth knowing all the more.
      source = undefined;
      measureProviders([]);
      runtime.log.warn(
        { reason: error instanceof Error ? error.message : String(error) },
        'metrics_incomplete',
      );
    }
    return await register.metrics();
  };
}

function countAnswers(register: Registry, answers: ReadonlyMap<string, number>): void {
  const counter = new Counter({
    name: 'http_responses_total',
    help: 'Answers of this process, by class of status',
    labelNames: ['status'],
    registers: [],
    collect() {
      this.reset();
      for (const [status, value] of answers) this.inc({ status }, value);
    },
  });
  register.registerMetric(counter);
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

function measurePool(register: Registry, { pool }: Runtime): void {
  const gauge = new Gauge({
    name: 'database_pool_connections',
    help: 'Connections of this process; waiting: requests that wait for one',
    labelNames: ['state'],
    registers: [],
    collect() {
      this.set({ state: 'total' }, pool.totalCount);
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
  register.registerMetric(gauge);
}

function providerGauges(register: Registry): (figures: ProviderFigures[]) => void {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name, help, labelNames: ['provider', ...labelNames], registers: [register] });
  const expiry = gauge(
    'sso_provider_certificate_expires_timestamp_seconds',
    'When the last of the certificates that may sign for a SAML provider ends',
  );
  const ownExpiry = gauge(
    'sso_provider_own_certificate_expires_timestamp_seconds',
    'When our own certificate for a SAML provider ends',
    'use',
  );
  const fetched = gauge(
    'sso_provider_metadata_fetched_timestamp_seconds',
    'When the metadata of a SAML provider was last fetched',
  );
  const problem = gauge(
    'sso_provider_metadata_problem',
    '1 while the metadata of a SAML provider cannot be fetched again, with the reason',
    'reason',
  );
  return (figures) => {
    for (const each of [expiry, ownExpiry, fetched, problem]) each.reset();
    for (const { provider, expiresAt, own, fetchedAt, problem: reason } of figures) {
      if (expiresAt) expiry.set({ provider }, seconds(expiresAt));
      for (const { use, expiresAt: end } of own) ownExpiry.set({ provider, use }, seconds(end));
      if (fetchedAt) fetched.set({ provider }, seconds(fetchedAt));
      if (reason !== undefined) problem.set({ provider, reason }, 1);
    }
  };
}

const seconds = (time: Date) => Math.round(time.getTime() / 1_000);
