import { loadConfig } from '#config/env.ts';
import { archiveAuditEvents } from '#src/audit/archive/archive-audit-events.ts';
import type { Job } from '#src/kernel/job.ts';
import { createLog } from '#src/kernel/log.ts';
import { perform } from '#src/kernel/perform.ts';
import type { Runtime } from '#src/kernel/work.ts';
import { createRuntime } from '#src/runtime.ts';
import { type AuditLog, auditLogOf, withoutTriggers } from '#test/bench/audit-log.ts';
import type { Bench } from '#test/bench/bench.ts';
import { WrongAnswer } from '#test/bench/compare-answers.ts';
import { cpuClock } from '#test/bench/cpu.ts';
import { best, median, shuffle } from '#test/bench/figures.ts';
import type { Section } from '#test/bench/section.ts';

const WAYS = ['batches', 'once'] as const;

interface Round {
  /** Events per second. */
  speed: number;
  /** Microseconds of CPU for an event, here and in the database; undefined where nobody can tell. */
  cpu: number | undefined;
}

type Rounds = Record<(typeof WAYS)[number], Round[]>;

/**
 * Events that leave the database in batches, against one DELETE of the same rows of the same table. The DELETE goes
 * without what the batches have: the trigger that checks and counts what leaves, the lease, and an end in between.
 */
export async function benchRetention(bench: Bench): Promise<Section> {
  const log = await auditLogOf(bench);
  const config = loadConfig({ DATABASE_URL: log.url, AUDIT_RETENTION: 'standard' });
  const runtime = await createRuntime(config, { log: createLog('silent', 2), statementTimeout: 0 });
  bench.cleanup.defer(() => runtime.close());
  await log.client.query('create table kept_events as select * from audit_events');

  const rounds: Rounds = { batches: [], once: [] };
  for (let round = 0; round <= (bench.options.quick ? 3 : 5); round += 1) {
    for (const way of shuffle(WAYS)) {
      const measured = await measure(log, runtime, way);
      // The first round loads what is needed.
      if (round > 0) rounds[way].push(measured);
    }
  }
  await refill(log);
  await log.client.query('drop table kept_events; delete from audit_retention');
  await runtime.close();
  return present(log, rounds);
}

async function measure(log: AuditLog, runtime: Runtime, way: (typeof WAYS)[number]): Promise<Round> {
  await refill(log);
  await runtime.pool.query('select 1');
  const clock = await cpuClock(log.client, {
    pid: process.pid,
    applicationName: way === 'batches' ? 'finance' : 'bench',
    database: new URL(log.url).pathname.slice(1),
  });
  const cpuBefore = await clock?.();
  const started = performance.now();
  const removed = way === 'batches' ? await removeInBatches(runtime) : await removeAtOnce(log);
  const seconds = (performance.now() - started) / 1000;
  const cpuAfter = await clock?.();
  if (removed !== log.events) throw new WrongAnswer(`${removed} of ${log.events} events removed`);
  const isKnown = cpuBefore !== undefined && cpuAfter !== undefined;
  return { speed: removed / seconds, cpu: isKnown ? (cpuAfter - cpuBefore) / removed : undefined };
}

async function removeInBatches(runtime: Runtime): Promise<number> {
  const job: Job = {
    runtime,
    signal: new AbortController().signal,
    dryRun: false,
    perform: (task) => perform(runtime, { actor: { kind: 'cli' } }, task),
  };
  return (await archiveAuditEvents(job)).deleted;
}

async function removeAtOnce({ client, until }: AuditLog): Promise<number> {
  let removed = 0;
  await withoutTriggers(client, async () => {
    const { rowCount } = await client.query('delete from audit_events where created_at < $1', [
      until.toISOString(),
    ]);
    removed = rowCount ?? 0;
  });
  return removed;
}

async function refill({ client }: AuditLog): Promise<void> {
  await withoutTriggers(client, () =>
    client.query('truncate audit_events; insert into audit_events select * from kept_events'),
  );
  await client.query('vacuum (analyze) audit_events');
  // Nobody is to pay for what another has written; a role that may not ask for it has to.
  await client.query('checkpoint').catch(() => undefined);
}

function present({ events }: AuditLog, { batches, once }: Rounds): Section {
  const [ours, theirs] = [speedsOf(batches), speedsOf(once)];
  const [cpu, otherCpu] = [cpuOf(batches), cpuOf(once)];
  const ratio = median(ours) / median(theirs);
  const cpuRatio = cpu && otherCpu && otherCpu / cpu;
  return {
    name: 'retention',
    tables: [
      {
        title: `Events removed per second, ${events.toLocaleString('en')}, in batches to one DELETE without guards`,
        columns: ['', 'ratio', 'best ratio', 'by CPU', 'batches', 'DELETE', 'CPU µs', 'CPU µs DELETE'],
        rows: [
          [
            'removal',
            ratio,
            best(ours) / best(theirs),
            cpuRatio,
            ...[median(ours), median(theirs)].map(Math.round),
            cpu,
            otherCpu,
          ],
        ],
      },
    ],
    goals: [
      // By CPU where it is known, because other load hardly moves it.
      { what: 'removal in batches to one DELETE', measured: cpuRatio ?? ratio, bound: 'least', goal: 0.8 },
    ],
  };
}

function speedsOf(rounds: Round[]): number[] {
  return rounds.map(({ speed }) => speed);
}

function cpuOf(rounds: Round[]): number | undefined {
  const known = rounds.map(({ cpu }) => cpu).filter((cpu) => cpu !== undefined);
  return known.length > 0 ? median(known) : undefined;
}
