import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findProgram } from '#test/operation/find-program.ts';

export interface PgBouncer {
  /** What the servers are to know of it. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

/** PgBouncer in transaction mode in front of a database, with two connections to it. */
export async function startPgBouncer(databaseUrl: string, port: number): Promise<PgBouncer> {
  const { hostname, port: behind, username, password, pathname } = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), 'finance-pgbouncer-'));
  const file = join(folder, 'pgbouncer.ini');
  // It refuses to be root, and then cannot look into a folder of root's.
  await chmod(folder, 0o755);
  await writeFile(
    file,
    `[databases]
* = host=${hostname} port=${behind} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
ignore_startup_parameters = options
`,
  );
  const asRoot = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(findProgram('pgbouncer') ?? '', [...asRoot, file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    if (line.includes('process up')) break;
  }
  child.stderr.resume();
  if (child.exitCode !== null) throw new Error(`PgBouncer did not start: ${said.join('\n')}`);
  return {
    env: {
      DATABASE_URL: `postgres://finance@127.0.0.1:${port}${pathname}`,
      MIGRATION_DATABASE_URL: databaseUrl,
      // Named statements need 1.21; without them any version does.
      DATABASE_NAMED_STATEMENTS: 'false',
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
