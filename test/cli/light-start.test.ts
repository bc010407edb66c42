import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'finance-light-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes the address of every module that was loaded to the file that LOADED names. */
const RECORDER = `import { registerHooks } from 'node:module'; import { appendFileSync } from 'node:fs';
registerHooks({ load: (url, context, next) => { appendFileSync(process.env.LOADED, url + '\\n'); return next(url, context); } });`;

const HEAVY = /\/node_modules\/(pg|pg-[a-z]+|@mikro-orm|inquirer|@inquirer|yaml|cli-table3|pino|koa)\//;

let runs = 0;

/** A process of its own, with no database at hand and no folder for one. */
async function start(argv: string[]) {
  runs += 1;
  const [data, loaded] = [join(folder, `data-${runs}`), join(folder, `loaded-${runs}`)];
  const { stdout } = await promisify(execFile)(join(ROOT, 'bin/financectl'), argv, {
    env: {
      PATH: '/usr/bin:/bin',
      DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x',
      DATA_DIR: data,
      LOADED: loaded,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(RECORDER)}`,
    },
    timeout: 20_000,
  });
  return { stdout, madeFolder: existsSync(data), modules: readFileSync(loaded, 'utf8').trim().split('\n') };
}

describe('without a database, and without what a database needs,', () => {
  test.concurrent.each([
    [['--help'], 'Usage: financectl'],
    [['--version'], '.'],
    [['audit', '--help'], 'Usage: financectl audit'],
    [['help', 'audit', 'list'], 'Usage: financectl audit list'],
    [['help', 'exit-codes'], 'interrupted (Ctrl-C)'],
    [['completion', 'bash'], 'complete -'],
  ])('%j is answered', async (argv, expected) => {
    const { stdout, madeFolder, modules } = await start(argv);

    expect(stdout).toContain(expected);
    expect(modules.some((url) => url.endsWith('/cli/program.ts'))).toBe(true);
    expect(modules.filter((url) => HEAVY.test(url))).toEqual([]);
    expect(madeFolder).toBe(false);
  });
});
