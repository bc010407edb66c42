import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { HashOrder, HashResult } from '#test/bench/bare-argon2.ts';
import type { RedeemOrder, RedeemResult } from '#test/bench/bare-openid.ts';
import type { ValidateOrder, ValidateResult } from '#test/bench/bare-saml.ts';
import type { LoadOrder, LoadResult } from '#test/bench/load-client.ts';

/** Of a server that is measured and thrown away. */
export const BENCH_SECRET = 'only-for-this-benchmark-0123456789abcdef';

const PRODUCT = fileURLToPath(new URL('../../src/server.ts', import.meta.url));
const BARE = fileURLToPath(new URL('./bare-server.ts', import.meta.url));
const BARE_PAGES = fileURLToPath(new URL('./bare-pages.ts', import.meta.url));
const BARE_ARGON2 = fileURLToPath(new URL('./bare-argon2.ts', import.meta.url));
const BARE_OPENID = fileURLToPath(new URL('./bare-openid.ts', import.meta.url));
const BARE_SAML = fileURLToPath(new URL('./bare-saml.ts', import.meta.url));
const ISSUER = fileURLToPath(new URL('./issuer.ts', import.meta.url));
const REMEMBER_SESSIONS = new URL('./remember-sessions.ts', import.meta.url);
const LOAD_CLIENT = fileURLToPath(new URL('./load-client.ts', import.meta.url));

export const FINANCE_SERVER = fileURLToPath(new URL('../../bin/finance-server', import.meta.url));
export const FINANCECTL = fileURLToPath(new URL('../../bin/financectl', import.meta.url));

/** For a product that reads each session once only. */
export const REMEMBERING = { NODE_OPTIONS: `--import=${REMEMBER_SESSIONS.href}` };

export interface ServerProcess {
  pid: number;
  port: number;
  stop(): Promise<void>;
}

export function startProduct(databaseUrl: string, env: Record<string, string> = {}): Promise<ServerProcess> {
  return startServer([process.execPath, PRODUCT], {
    ...env,
    DATABASE_URL: databaseUrl,
    SECRET_KEY_BASE: BENCH_SECRET,
    PORT: '0',
    HOST: '127.0.0.1',
  });
}

export function startBare(settingsFile: string, env: Record<string, string> = {}): Promise<ServerProcess> {
  return startServer([process.execPath, BARE, settingsFile], env);
}

export function startBarePages(settingsFile: string, answersFile: string): Promise<ServerProcess> {
  return startServer([process.execPath, BARE_PAGES, settingsFile, answersFile], {});
}

/** An OpenID provider for so many people. */
export function startIssuer(people: number): Promise<ServerProcess> {
  return startServer([process.execPath, ISSUER, String(people)], {});
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

/** A process that works on one order at a time. */
export interface Worker<Order, Result> {
  run(order: Order): Promise<Result>;
  stop(): void;
}

export type LoadClient = Worker<LoadOrder, LoadResult>;

export function startLoadClient(): LoadClient {
  return startWorker<LoadOrder, LoadResult>(LOAD_CLIENT);
}

/** Its hashes run on as many threads as there are cores; the others wait, as they do in the product. */
export function startBareArgon2(): Worker<HashOrder, HashResult> {
  return startWorker<HashOrder, HashResult>(BARE_ARGON2, {
    UV_THREADPOOL_SIZE: String(availableParallelism()),
  });
}

export function startBareOpenid(): Worker<RedeemOrder, RedeemResult> {
  return startWorker<RedeemOrder, RedeemResult>(BARE_OPENID);
}

export function startBareSaml(): Worker<ValidateOrder, ValidateResult> {
  return startWorker<ValidateOrder, ValidateResult>(BARE_SAML);
}

function startWorker<Order extends object, Result>(
  file: string,
  env: Record<string, string> = {},
): Worker<Order, Result> {
  const child = fork(file, { execArgv: [], env: { ...process.env, ...env } });
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', () => reject(new Error(`${basename(file)} ended`)));
  });
  // Only a run that is under way wants to know.
  ended.catch(() => undefined);
  return {
    run: (order) => {
      const result = new Promise<Result>((resolve) => child.once('message', resolve));
      child.send(order);
      return Promise.race([result, ended]);
    },
    stop: () => child.kill(),
  };
}
