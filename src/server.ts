import { setTimeout as delay } from 'node:timers/promises';
import { loadConfig } from '#config/env.ts';
import type { App } from '#src/http/app.ts';
import type { Listening } from '#src/http/listen.ts';
import type { Config, HttpConfig } from '#src/kernel/config.ts';
import { AppError } from '#src/kernel/errors.ts';
import { createLog, type Log } from '#src/kernel/log.ts';
import type { Runtime } from '#src/kernel/work.ts';
import { createRuntime } from '#src/runtime.ts';

/** Milliseconds a statement may take: a database that hangs is answered for within 10 seconds. */
const STATEMENT_TIMEOUT = 8_000;
const FAILED = 1;
const FIRST_USER =
  'bin/financectl users create --email YOU@EXAMPLE.COM --new-family NAME --currency EUR --password-stdin';
/** npm passes on the Ctrl-C that the terminal has already sent to the whole group: that is one signal, not two. */
const ONE_SIGNAL_MS = 500;

interface Server extends Listening {
  config: Config;
  log: Log;
  runtime: Runtime;
  app: App;
}

try {
  await main();
} catch (error) {
  await complain(error);
  process.exit(FAILED);
}

async function main(): Promise<void> {
  const config = loadConfig(process.env, { serving: true });
  const log = createLog(config.logLevel, 1);
  const asked = stopSignal(log);

  const server = await start(config, log);
  announce(server);
  void greetFirst(server);
  await asked;
  await stop(server);
  // Whatever is left has nothing to say any more, a hanging statement for example.
  process.exit(0);
}

/** Everything that can be loaded while the database is being reached is. */
async function start(config: Config, log: Log): Promise<Server> {
  const reaching = createRuntime(config, { log, statementTimeout: STATEMENT_TIMEOUT });
  const loading = Promise.all([
    import('#src/http/app.ts'),
    import('#src/http/http-server.ts'),
    import('#src/http/listen.ts'),
  ]);
  const [runtime, [{ createApp }, { createHttpServer }, { listen }]] = await Promise.all([reaching, loading]);
  try {
    const http: HttpConfig = { ...config.http };
    const app = createApp({ ...runtime, config: { ...config, http } });
    const listening = await listen(() => createHttpServer(app.handle), http.host, http.port);
    // With PORT=0 only the system knows what people have to type.
    if (http.appUrl === 'http://localhost:0') http.appUrl = `http://localhost:${listening.port}`;
    return { config: { ...config, http }, log, runtime, app, ...listening };
  } catch (error) {
    await runtime.close();
    throw error;
  }
}

function announce({ config, log, port }: Server): void {
  const { host, appUrl } = config.http;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  log.info({ url, app_url: appUrl }, 'server_ready');
  if (process.stdout.isTTY) process.stdout.write(`Listening on ${url} – Ctrl-C stops.\n`);
}

/** A new instance has nobody who could sign in; there is no default password, so it says how to begin. */
async function greetFirst({ log, runtime }: Server): Promise<void> {
  const { rows } = await runtime.pool
    .query('select 1 from users limit 1')
    .catch(() => ({ rows: [undefined] }));
  if (rows.length > 0) return;
  const hint = `Nobody can sign in yet. Make the first super admin: ${FIRST_USER}`;
  log.info({ hint }, 'no_users_yet');
  if (process.stdout.isTTY) process.stdout.write(`${hint}\n`);
}

/** Resolves at the first SIGTERM or SIGINT, also one that comes during the start; the second ends the process. */
function stopSignal(log: Log): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (askedAt !== undefined && performance.now() - askedAt < ONE_SIGNAL_MS) return;
        if (askedAt !== undefined) process.exit(FAILED);
        askedAt = performance.now();
        log.info({ signal }, 'server_stopping');
        resolve();
      });
    }
  });
}

/** No request in flight fails. The database goes last. */
async function stop({ config, log, runtime, app, servers }: Server): Promise<void> {
  app.drain();
  const { stopHttpServer } = await import('#src/http/http-server.ts');
  if (config.http.shutdownDelay > 0) await delay(config.http.shutdownDelay);

  const finished = await Promise.all(servers.map(stopHttpServer));
  if (finished.includes(false)) log.warn('requests_cut_off');
  await app.close();
  await runtime.close();
  log.info('server_stopped');
}

/** One line per problem, and what to do about it; never a stack. */
async function complain(thrown: unknown): Promise<void> {
  const error = thrown instanceof AppError ? thrown : await explain(thrown);
  for (const problem of error.errors ?? [error.message]) process.stderr.write(`error: ${problem}\n`);
  if (error.hint) process.stderr.write(`  hint: ${error.hint}\n`);
}

async function explain(thrown: unknown): Promise<AppError> {
  const [{ isDatabaseOutage }, { errorCode }] = await Promise.all([
    import('#src/http/database-outage.ts'),
    import('#src/kernel/error-code.ts'),
  ]);
  // A failed attempt on several addresses has a code, but nothing to say.
  const reason = (thrown instanceof Error && thrown.message) || (errorCode(thrown) ?? String(thrown));
  if (!isDatabaseOutage(thrown)) return new AppError('internal_server_error', reason, { cause: thrown });
  return new AppError('service_unavailable', `The database cannot be used: ${reason}`, {
    hint: 'Check that PostgreSQL runs and that DATABASE_URL names it; without DATABASE_URL an embedded one is started.',
    cause: thrown,
  });
}
