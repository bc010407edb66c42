import { join } from 'node:path';
import { loadConfig } from '#config/env.ts';
import { importStatement } from '#src/imports/import-statement.ts';
import { createLog } from '#src/kernel/log.ts';
import { perform } from '#src/kernel/perform.ts';
import type { Runtime, Work } from '#src/kernel/work.ts';
import { createAccount } from '#src/ledger/create-account.ts';
import { createRuntime } from '#src/runtime.ts';
import type { Bench, Site } from '#test/bench/bench.ts';
import { WrongAnswer } from '#test/bench/compare-answers.ts';
import { copyIn } from '#test/bench/copy-in.ts';
import { best, median, shuffle } from '#test/bench/figures.ts';
import type { Section } from '#test/bench/section.ts';
import { copyData, generateLines, type Line, writeCsv } from '#test/bench/statement-file.ts';

const ROWS = 100_000;

/** Rows per second, one figure for each round. */
type Speeds = Record<'import' | 'copy', number[]>;

/** Rows per second from a CSV file into the ledger, against COPY of the same rows into the same tables. */
export async function benchImport(bench: Bench): Promise<Section> {
  const site = await bench.imports();
  const lines = generateLines(ROWS);
  const file = join(bench.folder, 'statement.csv');
  await writeCsv(file, lines);

  const config = loadConfig({ DATABASE_URL: site.url });
  const runtime = await createRuntime(config, { log: createLog('silent', 2), statementTimeout: 0 });
  bench.cleanup.defer(() => runtime.close());
  const ways = {
    import: (accountId: string) => importFile(runtime, site, { accountId, file }),
    copy: (accountId: string) => copyRows(site, accountId, lines),
  };
  const speeds: Speeds = { import: [], copy: [] };
  for (let round = 1; round <= (bench.options.quick ? 2 : 5); round += 1) {
    for (const way of shuffle(['import', 'copy'] as const)) {
      const accountId = await newAccount(runtime, site, `${way} ${round}`);
      speeds[way].push(ROWS / (await ways[way](accountId)));
    }
  }
  await runtime.close();
  return present(speeds);
}

async function importFile(
  runtime: Runtime,
  { ledger }: Site,
  { accountId, file }: { accountId: string; file: string },
): Promise<number> {
  const started = performance.now();
  const task = (work: Work) => importStatement(work, { familyId: ledger.familyId, account: accountId, file });
  const { imported } = await perform(runtime, { actor: { kind: 'cli' } }, task);
  if (imported !== ROWS) throw new WrongAnswer(`imported ${imported} of ${ROWS} rows`);
  return (performance.now() - started) / 1000;
}

/** Making the data is not counted: COPY is the limit. */
async function copyRows({ monitor, ledger }: Site, accountId: string, lines: Line[]): Promise<number> {
  const { entries, transactions } = copyData(lines, { familyId: ledger.familyId, accountId });
  const started = performance.now();
  await monitor.query('begin');
  await copyIn(
    monitor,
    'copy entries (family_id, id, account_id, date, amount_cents, currency, name, source, content_hash) from stdin',
    entries,
  );
  await copyIn(
    monitor,
    'copy transactions (family_id, id, entry_id, kind, created_at, updated_at) from stdin',
    transactions,
  );
  await monitor.query('commit');
  return (performance.now() - started) / 1000;
}

async function newAccount(runtime: Runtime, { ledger: { familyId } }: Site, name: string): Promise<string> {
  const account = await perform(runtime, { actor: { kind: 'cli' } }, (work) =>
    createAccount(work, { familyId, name, accountType: 'depository', currency: 'USD' }),
  );
  return account.id;
}

function present(speeds: Speeds): Section {
  const ratio = median(speeds.import) / median(speeds.copy);
  return {
    name: 'import',
    tables: [
      {
        title: `Rows per second, a CSV file of ${ROWS.toLocaleString('en')} rows, parsing included, to COPY`,
        columns: ['', 'ratio', 'best ratio', 'import', 'COPY', 'best import', 'best COPY'],
        rows: [
          [
            'import',
            ratio,
            best(speeds.import) / best(speeds.copy),
            ...[median(speeds.import), median(speeds.copy)].map(Math.round),
            ...[best(speeds.import), best(speeds.copy)].map(Math.round),
          ],
        ],
      },
    ],
    goals: [{ what: 'import to COPY', measured: ratio, bound: 'least', goal: 0.5 }],
  };
}
