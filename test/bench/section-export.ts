import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { type AuditLog, auditLogOf } from '#test/bench/audit-log.ts';
import type { Bench } from '#test/bench/bench.ts';
import { hasProgram, runFinancectl, runPipeline } from '#test/bench/command.ts';
import { WrongAnswer } from '#test/bench/compare-answers.ts';
import { best, median, shuffle } from '#test/bench/figures.ts';
import type { Goal, Section } from '#test/bench/section.ts';

const MOST_MEGABYTES = 250;

/** The same lines as the product's, the shortest way there is. */
const LINES = `select row_to_json(event) from (
  select to_char(e.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, e.event_type, e.user_id,
    u.email as user_email, e.actor_kind, e.actor_id, a.email as actor_email, e.provider, e.ip_address, e.user_agent,
    e.request_id, e.metadata, e.id
  from audit_events e left join users u on u.id = e.user_id left join users a on a.id = e.actor_id
  where e.created_at < '%'
  order by e.created_at, e.id
) event`;

/** Rows per second, and the most memory of ours, one figure for each round. */
export interface Speeds {
  ours: number[];
  theirs: number[];
  megabytes: number[];
}

/** `audit export --gzip` into a file, against psql and gzip. */
export async function benchExport(bench: Bench): Promise<Section> {
  if (!(await hasProgram('psql'))) return skipped(bench, 'export');
  const log = await auditLogOf(bench);
  const speeds = await compareWithPsql(bench, log, (file) =>
    runFinancectl(
      bench,
      ['audit', 'export', '--until', log.until.toISOString(), '--gzip', '--output', file],
      { DATABASE_URL: log.url },
    ),
  );
  return present('export', 'audit export --gzip', log, speeds);
}

/** Both write the whole log, in turn; `ours` may leave the file out when the result is elsewhere. */
export async function compareWithPsql(
  { folder, options }: Bench,
  { url, events, until }: AuditLog,
  ours: (file: string) => Promise<{ seconds: number; megabytes: number }>,
): Promise<Speeds> {
  const file = join(folder, 'audit.ndjson.gz');
  const query = LINES.replace('%', until.toISOString());
  const speeds: Speeds = { ours: [], theirs: [], megabytes: [] };
  for (let round = 0; round <= (options.quick ? 3 : 5); round += 1) {
    for (const way of shuffle(['ours', 'theirs'] as const)) {
      const { seconds, megabytes } =
        way === 'ours' ? await ours(file) : { seconds: await runPipeline(url, query, file), megabytes: 0 };
      await checkLines(file, events);
      // The first round fills the caches.
      if (round === 0) continue;
      speeds[way].push(events / seconds);
      if (way === 'ours') speeds.megabytes.push(megabytes);
    }
  }
  return speeds;
}

async function checkLines(file: string, events: number): Promise<void> {
  let lines = 0;
  try {
    for await (const chunk of createReadStream(file).pipe(createGunzip())) {
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
    }
  } finally {
    await rm(file, { force: true });
  }
  if (lines !== events) throw new WrongAnswer(`${lines} of ${events} events in the file`);
}

export function present(name: string, what: string, { events, days }: AuditLog, speeds: Speeds): Section {
  const { ours, theirs, megabytes } = speeds;
  const ratio = median(ours) / median(theirs);
  const memory = best(megabytes);
  const goals: Goal[] = [
    { what: `${what} to psql COPY | gzip -6`, measured: ratio, bound: 'least', goal: 0.75 },
    { what: `${what}, peak memory in MB`, measured: memory, bound: 'most', goal: MOST_MEGABYTES },
  ];
  return {
    name,
    tables: [
      {
        title: `Events per second, ${events.toLocaleString('en')} of ${days} days, to psql COPY | gzip -6`,
        columns: ['', 'ratio', 'best ratio', name, 'psql', `best ${name}`, 'best psql', 'peak MB'],
        rows: [
          [
            what,
            ratio,
            best(ours) / best(theirs),
            ...[median(ours), median(theirs), best(ours), best(theirs), memory].map(Math.round),
          ],
        ],
      },
    ],
    goals,
  };
}

/** Nothing to compare with is no missed goal. */
export function skipped(bench: Bench, name: string): Section {
  bench.say(`${name}: skipped, psql is not on the path`);
  return { name, tables: [{ title: 'Skipped: psql is not on the path', columns: [], rows: [] }], goals: [] };
}
