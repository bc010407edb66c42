import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '#test/operation/find-program.ts';

const run = promisify(execFile);
const OPERATION = join(import.meta.dirname, '../../../config/operation');

interface Product {
  /** The shipped example. */
  file: string;
  program: string | undefined;
  args(file: string, folder: string): string[];
  /** Makes it read the example and start nothing; undefined where that needs a machine of its own. */
  check?: (file: string) => string[];
  /** What only holds on a machine of its own; the ports of the two servers are changed for all. */
  changes(port: number, folder: string): [RegExp, string][];
  /** Whether it asks servers for their health, and not only notices that they are gone. */
  asksForHealth: boolean;
}

/** Those that do not ask for health come first. */
const PRODUCTS: Record<string, Product> = {
  nginx: {
    file: 'nginx.conf',
    program: findProgram('nginx'),
    args: (file) => ['-c', file, '-e', 'stderr', '-g', 'daemon off;'],
    changes: (port, folder) => [
      [/listen 80;/, `listen 127.0.0.1:${port};`],
      [/\/run\/nginx\.pid/, join(folder, 'nginx.pid')],
      [/\/var\/log\/nginx\/error\.log/, 'stderr'],
      [/\/var\/log\/nginx\/access\.log/, join(folder, 'access.log')],
      [/\/var\/lib\/nginx\/body/, join(folder, 'body')],
      [/\/var\/lib\/nginx\/proxy/, join(folder, 'proxy')],
    ],
    asksForHealth: false,
  },
  HAProxy: {
    file: 'haproxy.cfg',
    program: findProgram('haproxy'),
    args: (file) => ['-db', '-f', file],
    check: (file) => ['-c', '-f', file],
    changes: (port) => [[/bind :80\n/, `bind 127.0.0.1:${port}\n`]],
    asksForHealth: true,
  },
  Caddy: {
    file: 'Caddyfile',
    program: findProgram('caddy'),
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    check: (file) => ['validate', '--adapter', 'caddyfile', '--config', file],
    changes: (port) => [[/^finance\.example\.com \{/m, `http://127.0.0.1:${port} {`]],
    asksForHealth: true,
  },
};

/** The products this machine has. */
export const PROXIES = Object.entries(PRODUCTS).filter(([, { program }]) => program !== undefined);

export interface RunningProxy {
  url: string;
  stop(): Promise<void>;
}

/** Has the program read the shipped example to the letter; fails with what it does not understand. */
export async function checkExample({ program = '', file, check }: Product): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'finance-proxy-'));
  try {
    await run(program, check?.(join(OPERATION, file)), { env: { PATH: process.env.PATH, HOME: home } });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Runs the shipped example in front of two servers. */
export async function startProxy(
  product: Product,
  port: number,
  servers: [number, number],
): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'finance-proxy-'));
  // nginx's workers are somebody else.
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'home'));
  const file = join(folder, product.file);
  await writeFile(
    file,
    adapt(await readFile(join(OPERATION, product.file), 'utf8'), product, { port, folder, servers }),
  );

  const child = spawn(product.program ?? '', product.args(file, folder), {
    env: { PATH: process.env.PATH, HOME: join(folder, 'home') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = collect(child);
  const ended = once(child, 'close');
  const url = `http://127.0.0.1:${port}`;
  await reached(`${url}/readyz`, child).catch((error: unknown) => {
    throw new Error(`${product.program} does not answer: ${said.join('')}`, { cause: error });
  });
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Place {
  port: number;
  folder: string;
  servers: [number, number];
}

function adapt(text: string, product: Product, { port, folder, servers }: Place): string {
  const changes: [RegExp, string][] = [
    ...product.changes(port, folder),
    [/127\.0\.0\.1:3001/, `127.0.0.1:${servers[0]}`],
    [/127\.0\.0\.1:3002/, `127.0.0.1:${servers[1]}`],
  ];
  return changes.reduce((adapted, [what, by]) => {
    if (!what.test(adapted)) throw new Error(`${product.file} says nothing like ${what}`);
    return adapted.replace(what, by);
  }, text);
}

function collect({ stderr }: ChildProcess): string[] {
  const said: string[] = [];
  stderr?.setEncoding('utf8').on('data', (text: string) => said.push(text));
  return said;
}

/** Asks until somebody answers that all is well. */
async function reached(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + 15_000;
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.status === 200) return;
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`no answer at ${url}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A port that was free just now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
