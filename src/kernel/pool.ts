import { Pool, TypeOverrides } from 'pg';
import type { Log } from '#src/kernel/log.ts';

export interface PoolOptions {
  size: number;
  applicationName: string;
  /** Milliseconds one statement may take; 0 means no limit. */
  statementTimeout: number;
}

/** Dates, timestamps and intervals stay text, as MikroORM's own pool leaves them: no detour through local time. */
const RAW_TEXT_TYPES = [1082, 1114, 1184, 1186];

/** Room above the server-side limit, so that a database that has stopped answering is noticed too. */
const FROZEN_GRACE = 1_000;

export function createPool(
  url: string,
  { size, applicationName, statementTimeout }: PoolOptions,
  log: Log,
): Pool {
  const types = new TypeOverrides();
  for (const oid of RAW_TEXT_TYPES) types.setTypeParser(oid, (text) => text);

  const pool = new Pool({
    connectionString: withLibpqTls(url),
    application_name: applicationName,
    max: size,
    types,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    ...(statementTimeout > 0 && { query_timeout: statementTimeout + FROZEN_GRACE }),
    // One parameter, so that a pooler in front needs to let only `options` through.
    options: [
      '-c plan_cache_mode=force_generic_plan',
      '-c jit=off',
      '-c timezone=UTC',
      `-c statement_timeout=${statementTimeout}`,
      '-c lock_timeout=10s',
      '-c idle_in_transaction_session_timeout=60s',
    ].join(' '),
  });
  // Without listeners a dropped connection would be an uncaught exception; the query in flight fails by itself.
  pool.on('error', (error) => log.warn({ reason: error.message }, 'database_connection_lost'));
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** `sslmode` as libpq documents it; node-postgres alone would take `require` for `verify-full`. */
export function withLibpqTls(url: string): string {
  const parsed = new URL(url);
  if (parsed.searchParams.has('sslmode') && !parsed.searchParams.has('uselibpqcompat')) {
    parsed.searchParams.set('uselibpqcompat', 'true');
  }
  return parsed.href;
}
