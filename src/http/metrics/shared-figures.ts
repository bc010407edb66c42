import { Gauge, Registry } from '@prometheus-io/client';
import { type Sql, sqlOn } from '#src/kernel/sql-on.ts';
import type { Runtime } from '#src/kernel/work.ts';
import { listProviderFigures, type ProviderFigures } from '#src/sso/providers/provider-figures.ts';
import { openProviderSource, type ProviderSource } from '#src/sso/providers/provider-source.ts';

/**
 * What is the same for every process of this database: read at each call, asking no provider. While the database is
 * away there is none of it.
 */
export function sharedFigures(runtime: Runtime): () => Promise<Registry> {
  const register = new Registry();
  const measureProviders = providerGauges(register);
  const measureArchive = archiveGauge(register);
  const database = sqlOn(runtime.pool);
  let source: Promise<ProviderSource> | undefined;
  return async () => {
    try {
      source ??= openProviderSource(runtime);
      const figures = await listProviderFigures(await source, database, runtime.now());
      measureArchive(await lastArchiveRun(database));
      measureProviders(figures);
    } catch (error) {
      // Whatever the matter is, everything else is worth knowing all the more.
      source = undefined;
      register.resetMetrics();
      runtime.log.warn(
        { reason: error instanceof Error ? error.message : String(error) },
        'metrics_incomplete',
      );
    }
    return register;
  };
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

/** With the tier as a label that is always there, the figure is absent as long as no run has succeeded, and never 0. */
function archiveGauge(register: Registry): (run: ArchiveRun | undefined) => void {
  const gauge = new Gauge({
    name: 'audit_archive_last_success_timestamp_seconds',
    help: 'When the last run of financectl audit archive succeeded, by how long the audit log is kept',
    labelNames: ['tier'],
    registers: [register],
  });
  return (run) => {
    gauge.reset();
    if (run) gauge.set({ tier: run.tier }, run.seconds);
  };
}

interface ArchiveRun {
  tier: string;
  seconds: number;
}

async function lastArchiveRun({ sql }: Sql): Promise<ArchiveRun | undefined> {
  const [run] = await sql<ArchiveRun>(`
    select tier, extract(epoch from last_success_at)::double precision as seconds
    from audit_retention where last_success_at is not null`);
  return run;
}

const seconds = (time: Date) => Math.round(time.getTime() / 1_000);
