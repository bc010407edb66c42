import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Bench } from '#test/bench/bench.ts';
import { BENCH_SECRET, FINANCECTL } from '#test/bench/processes.ts';

const REPORT_MEMORY = new URL('./report-memory.ts', import.meta.url);

export interface CommandRun {
  seconds: number;
  /** The most memory it had at any moment. */
  megabytes: number;
}

/** Runs financectl as a process of its own. */
export async function runFinancectl(
  { folder }: Pick<Bench, 'folder'>,
  argv: string[],
  env: Record<string, string>,
): Promise<CommandRun> {
  const memoryFile = join(folder, 'memory');
  const seconds = await timeProcess([FINANCECTL, ...argv], {
    ...env,
    SECRET_KEY_BASE: BENCH_SECRET,
    NODE_OPTIONS: `--import=${REPORT_MEMORY.href}`,
    BENCH_MEMORY_FILE: memoryFile,
  });
  return { seconds, megabytes: Number(await readFile(memoryFile, 'utf8')) / 1024 };
}

/** What psql and gzip make of the same query, in a file. */
export function runPipeline(url: string, query: string, file: string): Promise<number> {
  return timeProcess(['sh', '-c', 'psql -X -q "$BENCH_URL" -c "$BENCH_COPY" | gzip -6 > "$BENCH_FILE"'], {
    BENCH_URL: url,
    BENCH_COPY: `copy (${query}) to stdout`,
    BENCH_FILE: file,
    PGTZ: 'UTC',
  });
}

export async function hasProgram(name: string): Promise<boolean> {
  const child = spawn(name, ['--version'], { stdio: 'ignore' });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}

/** Answers with the seconds it took. */
async function timeProcess([file = '', ...args]: string[], env: Record<string, string>): Promise<number> {
  const inherited = { PATH: process.env.PATH, HOME: process.env.HOME };
  const started = performance.now();
  const child = spawn(file, args, { env: { ...inherited, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with exit code ${code}: ${said}`);
  return (performance.now() - started) / 1000;
}
