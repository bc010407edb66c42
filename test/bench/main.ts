import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { loadConfig } from '#config/env.ts';
import { type Bench, type BenchOptions, createBench } from '#test/bench/bench.ts';
import { WrongAnswer } from '#test/bench/compare-answers.ts';
import { openDatabases } from '#test/bench/databases.ts';
import { renderSection } from '#test/bench/report.ts';
import { isMet, type Section } from '#test/bench/section.ts';
import { benchApi, benchFilters } from '#test/bench/section-api.ts';
import { benchArchive } from '#test/bench/section-archive.ts';
import { benchExport } from '#test/bench/section-export.ts';
import { benchFlat } from '#test/bench/section-flat.ts';
import { benchImport } from '#test/bench/section-import.ts';
import { benchOidc } from '#test/bench/section-oidc.ts';
import { benchRetention } from '#test/bench/section-retention.ts';
import { benchSaml } from '#test/bench/section-saml.ts';
import { benchSession } from '#test/bench/section-session.ts';
import { benchSignin } from '#test/bench/section-signin.ts';
import { benchStart } from '#test/bench/section-start.ts';

const USAGE = `Usage: npm run bench -- [section…] [--quick] [--json] [--check] [--large N]

Sections: api, filters, flat, signin, oidc, saml, session, import, export, archive, retention, start; default all. Every figure is a ratio to something simpler in the same run.
  --quick    three rounds of one second instead of five of two
  --json     one JSON document on stdout
  --check    exit code 1 when a goal is missed
  --large N  transactions of the large ledger, a multiple of 10000; default 300000
DATABASE_URL: a server on which databases may be created; default an embedded one, removed afterwards.
`;

const SECTIONS = {
  api: benchApi,
  filters: benchFilters,
  flat: benchFlat,
  signin: benchSignin,
  oidc: benchOidc,
  saml: benchSaml,
  session: benchSession,
  import: benchImport,
  export: benchExport,
  archive: benchArchive,
  retention: benchRetention,
  start: benchStart,
};
const isSection = (name: string): name is keyof typeof SECTIONS => Object.hasOwn(SECTIONS, name);

const cleanup = new AsyncDisposableStack();
let interrupted = false;
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => {
    interrupted = true;
    void cleanup.disposeAsync().finally(() => process.exit(code));
  });
}

try {
  await main();
} catch (error) {
  // What an interrupted bench stumbles over is of no interest.
  if (!interrupted) complain(error);
} finally {
  await cleanup.disposeAsync();
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      large: { type: 'string', default: '300000' },
      help: { type: 'boolean', default: false },
    },
  });
  const unknown = positionals.filter((name) => !isSection(name));
  if (values.help || unknown.length > 0) {
    process.stderr.write(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }

  const sections: Section[] = [];
  const bench = await openBench({ quick: values.quick, large: Number(values.large) });
  const chosen = positionals.filter(isSection);
  for (const name of chosen.length > 0 ? chosen : Object.keys(SECTIONS).filter(isSection)) {
    bench.say(`measuring ${name}`);
    const section = await SECTIONS[name](bench);
    sections.push(section);
    if (!values.json) process.stdout.write(`${renderSection(section)}\n`);
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ load: loadavg(), sections }, null, 2)}\n`);
  if (values.check && !sections.flatMap(({ goals }) => goals).every(isMet)) process.exitCode = 1;
}

async function openBench(options: BenchOptions): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'finance-bench-'));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const { url } = loadConfig(process.env).database;
  const databases = await openDatabases({ url, folder, cleanup });
  return createBench({ options, cleanup, databases, folder, say });
}

function complain(error: unknown): void {
  process.exitCode = 1;
  const text = error instanceof WrongAnswer ? `wrong answer: ${error.message}` : inspect(error);
  process.stderr.write(`error: ${text}\n`);
}

/** Progress, with the load that explains odd figures. */
function say(text: string): void {
  const [load = 0] = loadavg();
  process.stderr.write(`[load ${load.toFixed(1)}] ${text}\n`);
}
