import type { Config } from '#src/kernel/config.ts';
import type { Runtime } from '#src/kernel/work.ts';

const FIRST_USER =
  'bin/financectl users create --email YOU@EXAMPLE.COM --new-family NAME --currency EUR --password-stdin';

interface Ready {
  config: Config;
  runtime: Runtime;
  port: number;
  /** Processes that answer requests, where they are several. */
  workers?: number;
}

/** Once, when the first request would be answered. */
export function announce({ config, runtime, port, workers }: Ready): void {
  const { host } = config.http;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const appUrl = config.http.appUrl.replace(/^http:\/\/localhost:0$/, `http://localhost:${port}`);
  runtime.log.info({ url, app_url: appUrl, workers }, 'server_ready');
  if (process.stdout.isTTY) process.stdout.write(`Listening on ${url} – Ctrl-C stops.\n`);
  void greetFirst(runtime);
}

/** A new instance has nobody who could sign in; there is no default password, so it says how to begin. */
async function greetFirst({ log, pool }: Runtime): Promise<void> {
  const { rows } = await pool.query('select 1 from users limit 1').catch(() => ({ rows: [undefined] }));
  if (rows.length > 0) return;
  const hint = `Nobody can sign in yet. Make the first super admin: ${FIRST_USER}`;
  log.info({ hint }, 'no_users_yet');
  if (process.stdout.isTTY) process.stdout.write(`${hint}\n`);
}
