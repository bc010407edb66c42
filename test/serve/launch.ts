import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { type afterAll, afterEach } from 'vitest';
import { type Harness, SECRET_KEY_BASE } from '#test/support/database.ts';

const ENTRY = join(import.meta.dirname, '../../src/server.ts');

export interface Launched {
  child: ChildProcess;
  /** The log so far. */
  lines: Record<string, unknown>[];
  /** The line of the log with this event, once it is there; fails when the process ends without. */
  said(event: string): Promise<Record<string, unknown>>;
  stderr: Promise<string>;
  ended: Promise<unknown[]>;
}

/** Starts servers on the harness's database; whatever is left of them is killed after each test, or after all. */
export function useServers(
  harness: Harness,
  cleanUp: typeof afterEach | typeof afterAll = afterEach,
): (env?: Record<string, string>) => Launched {
  const running: ChildProcess[] = [];
  cleanUp(() => {
    for (const child of running.splice(0)) child.kill('SIGKILL');
  });

  return (env = {}) => {
    const child = spawn(process.execPath, [ENTRY], {
      env: { PATH: process.env.PATH, DATABASE_URL: harness.databaseUrl, SECRET_KEY_BASE, PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.push(child);
    const lines: Record<string, unknown>[] = [];
    const waiting = new Set<() => void>();
    const ended = once(child, 'close');
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(JSON.parse(line));
      for (const look of waiting) look();
    });
    const said = (event: string) =>
      new Promise<Record<string, unknown>>((resolve, reject) => {
        const look = () => {
          const line = lines.find((each) => each.event === event);
          if (line) resolve(line);
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`the server ended without ${event}`)));
      });
    return { child, lines, said, stderr: text(child.stderr), ended };
  };
}

/** The processes a process has started, by their ids. */
export function childrenOf({ pid }: ChildProcess): number[] {
  const listed =
    process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      : execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
  return listed.split(/\s+/).filter(Boolean).map(Number);
}
