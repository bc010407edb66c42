import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { LoadOrder, LoadResult } from '#test/bench/load-client.ts';

/** Of a server that is measured and thrown away. */
export const BENCH_SECRET = 'only-for-this-benchmark-0123456789abcdef';

const PRODUCT = fileURLToPath(new URL('../../src/server.ts', import.meta.url));
const BARE = fileURLToPath(new URL('./bare-server.ts', import.meta.url));
const LOAD_CLIENT = fileURLToPath(new URL('./load-client.ts', import.meta.url));

export const FINANCE_SERVER = fileURLToPath(new URL('../../bin/finance-server', import.meta.url));
export const FINANCECTL = fileURLToPath(new URL('../../bin/financectl', import.meta.url));

export interface ServerProcess {
  pid: number;
  port: number;
  stop(): Promise<void>;
}

export function startProduct(databaseUrl: string): Promise<ServerProcess> {
  return startServer([process.execPath, PRODUCT], {
    DATABASE_URL: databaseUrl,
    SECRET_KEY_BASE: BENCH_SECRET,
    PORT: '0',
    HOST: '127.0.0.1',
  });
}

export function startBare(settingsFile: string, env: Record<string, string> = {}): Promise<ServerProcess> {
  return startServer([process.execPath, BARE, settingsFile], env);
}

/** Starts a server and returns as soon as it says on which port it is ready. */
export async function startServer(
  [file = '', ...args]: string[],
  env: Record<string, string>,
): Promise<ServerProcess> {
  const inherited = { PATH: process.env.PATH, HOME: process.env.HOME };
  const child = spawn(file, args, { env: { ...inherited, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const stop = async () => {
    const tooLong = setTimeout(() => child.kill('SIGKILL'), 5_000);
    child.kill('SIGTERM');
    await exit;
    clearTimeout(tooLong);
  };
  for await (const line of createInterface(child.stdout)) {
    const port = readPort(line);
    if (port === undefined || child.pid === undefined) continue;
    // Unread output would fill the pipe and stop the server.
    child.stdout.resume();
    return { pid: child.pid, port, stop };
  }
  await exit;
  throw new Error(`${[file, ...args].join(' ')} ended before it was ready`);
}

function readPort(line: string): number | undefined {
  const { event, url }: Record<string, unknown> = JSON.parse(line);
  return event === 'server_ready' && typeof url === 'string' ? Number(new URL(url).port) : undefined;
}

export interface LoadClient {
  run(order: LoadOrder): Promise<LoadResult>;
  stop(): void;
}

export function startLoadClient(): LoadClient {
  const child = fork(LOAD_CLIENT, { execArgv: [] });
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', () => reject(new Error('the load client ended')));
  });
  // Only a run that is under way wants to know.
  ended.catch(() => undefined);
  return {
    run: (order) => {
      const result = new Promise<LoadResult>((resolve) => child.once('message', resolve));
      child.send(order);
      return Promise.race([result, ended]);
    },
    stop: () => child.kill(),
  };
}
