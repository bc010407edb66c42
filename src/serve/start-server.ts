import { raiseTier } from '#src/audit/archive/retention/raise-tier.ts';
import type { App } from '#src/http/app.ts';
import type { Listening } from '#src/http/listen.ts';
import type { Config, HttpConfig } from '#src/kernel/config.ts';
import type { Log } from '#src/kernel/log.ts';
import { sqlOn } from '#src/kernel/sql-on.ts';
import type { Runtime } from '#src/kernel/work.ts';
import { createRuntime } from '#src/runtime.ts';

/** Milliseconds a statement may take: a database that hangs is answered for within 10 seconds. */
export const STATEMENT_TIMEOUT = 8_000;

export interface Server extends Listening {
  config: Config;
  log: Log;
  runtime: Runtime;
  app: App;
}

interface StartOptions {
  /** False where somebody else has brought the schema up to date. */
  migrateFirst?: boolean;
  writeMetrics?: () => Promise<string>;
  /** Whether others listen on the same port. */
  isShared?: boolean;
}

/** Everything that can be loaded while the database is being reached is. */
export async function startServer(
  config: Config,
  log: Log,
  { migrateFirst = true, writeMetrics, isShared = false }: StartOptions = {},
): Promise<Server> {
  const reaching = createRuntime(config, { log, statementTimeout: STATEMENT_TIMEOUT, migrateFirst });
  const loading = Promise.all([
    import('#src/http/app.ts'),
    import('#src/http/http-server.ts'),
    import('#src/http/listen.ts'),
  ]);
  const [runtime, [{ createApp }, { createHttpServer }, { listen }]] = await Promise.all([reaching, loading]);
  try {
    const http: HttpConfig = { ...config.http };
    const app = createApp({ ...runtime, config: { ...config, http } }, { writeMetrics });
    const listening = await listen(() => createHttpServer(app.handle), http.host, http.port, { isShared });
    // With PORT=0 only the system knows what people have to type.
    if (http.appUrl === 'http://localhost:0') http.appUrl = `http://localhost:${listening.port}`;
    void sayHowLongToKeep(runtime);
    return { config: { ...config, http }, log, runtime, app, ...listening };
  } catch (error) {
    await runtime.close();
    throw error;
  }
}

/** The archive of the audit log may be run where AUDIT_RETENTION is not set, as cron does. */
async function sayHowLongToKeep({ config, pool, log }: Runtime): Promise<void> {
  try {
    await raiseTier(sqlOn(pool), config.audit.retention);
  } catch (error) {
    log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'retention_not_recorded');
  }
}
