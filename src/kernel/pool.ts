import { Pool, TypeOverrides } from 'pg';
import { connectionTo } from '#src/kernel/connection.ts';
import type { Log } from '#src/kernel/log.ts';

export interface PoolOptions {
  size: number;
  applicationName: string;
  /** Milliseconds one statement may take; 0 means no limit. */
  statementTimeout: number;
}

/** Dates, timestamps and intervals stay text, as MikroORM's own pool leaves them: no detour through local time. */
const RAW_TEXT_TYPES = [1082, 1114, 1184, 1186];

/** A pooler may drop `options`, or give a session another server; PgBouncer carries these two along when they are set. */
const SESSION = `set timezone = 'UTC'; set datestyle = 'ISO'`;

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
    ...connectionTo(url, {
      plan_cache_mode: 'force_generic_plan',
      jit: 'off',
      statement_timeout: statementTimeout,
      lock_timeout: '10s',
      idle_in_transaction_session_timeout: '60s',
    }),
    application_name: applicationName,
    max: size,
    types,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    ...(statementTimeout > 0 && { query_timeout: statementTimeout + FROZEN_GRACE }),
    verify: (client, done) => client.query(SESSION, (error: Error | null) => done(error ?? undefined)),
  });
  // Without listeners a dropped connection would be an uncaught exception; the query in flight fails by itself.
  pool.on('error', (error) => {
    // The pool ends before its connections do; whoever is last then stops the embedded database under them.
    if (!pool.ending) log.warn({ reason: error.message }, 'database_connection_lost');
  });
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
