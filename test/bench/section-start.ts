import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from '#test/bench/bench.ts';
import { median, shuffle } from '#test/bench/figures.ts';
import {
  BENCH_SECRET,
  FINANCE_SERVER,
  FINANCECTL,
  type ServerProcess,
  startBare,
  startServer,
} from '#test/bench/processes.ts';
import type { Section, Table } from '#test/bench/section.ts';

type Times = Record<string, number[]>;

/** How long it takes until somebody sees something, and what an idle server holds. */
export async function benchStart(bench: Bench): Promise<Section> {
  const help = await measureHelp(bench.options.quick ? 7 : 25);
  const { launch, memory } = await measureLaunch(bench, bench.options.quick ? 4 : 10);
  const helpRatio = ratio(help, 'financectl --help', 'node -e 0');
  return {
    name: 'start',
    tables: [
      table('financectl --help to node -e 0, ms', help),
      table('Launch to the first 200 of the list, product to bare server, ms', launch),
      table('Idle memory, product to bare server, MB', memory),
    ],
    goals: [
      { what: 'financectl --help to node -e 0', measured: helpRatio, bound: 'most', goal: 1.7 },
      {
        what: 'financectl --help, ms',
        measured: median(help['financectl --help'] ?? []),
        bound: 'most',
        goal: 300,
      },
      {
        what: 'server to first 200, to bare',
        measured: ratio(launch, 'product', 'bare'),
        bound: 'most',
        goal: 2.5,
      },
      { what: 'idle memory to bare', measured: ratio(memory, 'product', 'bare'), bound: 'most', goal: 2 },
    ],
  };
}

function ratio(times: Times, ours: string, theirs: string): number {
  return median(times[ours] ?? []) / median(times[theirs] ?? []);
}

async function measureHelp(rounds: number): Promise<Times> {
  const commands: Record<string, string[]> = {
    'financectl --help': [FINANCECTL, '--help'],
    'node -e 0': [process.execPath, '-e', '0'],
  };
  const times: Times = { 'financectl --help': [], 'node -e 0': [] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of shuffle(Object.keys(commands))) {
      const took = await timeRun(commands[name] ?? []);
      // The first round fills the compile cache.
      if (round > 0) times[name]?.push(took);
    }
  }
  return times;
}

async function timeRun([file = '', ...args]: string[]): Promise<number> {
  const started = performance.now();
  const [code] = await once(spawn(file, args, { stdio: 'ignore' }), 'exit');
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with exit code ${code}`);
  return performance.now() - started;
}

async function measureLaunch(bench: Bench, rounds: number): Promise<{ launch: Times; memory: Times }> {
  const { url, ledger } = await bench.large();
  const settings = await bench.bareSettings();
  const cache = { NODE_COMPILE_CACHE: join(bench.folder, 'compile-cache') };
  const servers = {
    product: () =>
      startServer([FINANCE_SERVER], {
        ...cache,
        DATABASE_URL: url,
        SECRET_KEY_BASE: BENCH_SECRET,
        PORT: '0',
        HOST: '127.0.0.1',
      }),
    bare: () => startBare(settings, cache),
  };
  const launch: Times = { product: [], bare: [] };
  const memory: Times = { product: [], bare: [] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of shuffle(['product', 'bare'] as const)) {
      const started = performance.now();
      const server = await servers[name]();
      try {
        await askOnce(server, ledger.key);
        const took = performance.now() - started;
        await delay(500);
        if (round === 0) continue;
        launch[name]?.push(took);
        memory[name]?.push(await residentMegabytes(server));
      } finally {
        await server.stop();
      }
    }
  }
  return { launch, memory };
}

async function askOnce({ port }: ServerProcess, key: string): Promise<void> {
  const url = `http://127.0.0.1:${port}/api/v1/rejected_transfers`;
  const response = await fetch(url, { headers: { 'X-Api-Key': key, Connection: 'close' } });
  if (response.status !== 200) throw new Error(`the list answers ${response.status}`);
  await response.arrayBuffer();
}

async function residentMegabytes({ pid }: ServerProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
}

function table(title: string, times: Times): Table {
  const [ours = [], theirs = []] = Object.values(times);
  const [name = '', reference = ''] = Object.keys(times);
  return {
    title,
    columns: ['', 'ratio', 'ratio of best', 'median', reference, 'best', `best ${reference}`],
    rows: [
      [
        name,
        median(ours) / median(theirs),
        Math.min(...ours) / Math.min(...theirs),
        median(ours),
        median(theirs),
        Math.min(...ours),
        Math.min(...theirs),
      ],
    ],
  };
}
