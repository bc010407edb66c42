import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { requireDatabase } from '#cli/commands/audit/require-database.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say, warn } from '#cli/io.ts';
import { startProgress } from '#cli/progress.ts';
import { printResult } from '#cli/render.ts';
import { count, duration, span } from '#cli/values.ts';
import type { ArchiveReport } from '#src/audit/archive/run/archive-report.ts';
import type { Step } from '#src/audit/archive/run/run.ts';

interface ArchiveOptions {
  olderThan?: number;
  batchSize?: number;
  maxRuntime?: number;
  keep?: true;
  shorten?: true;
}

const DAY_MS = 86_400_000;
const SHORTEST_DAYS = 90;

export function archive(audit: Command, host: Host): void {
  audit
    .command('archive')
    .summary('archive old events and remove what is past its time, for cron')
    .description(
      'Keeps the audit log to AUDIT_RETENTION. Days that ended 90 days ago are archived (not with standard), read back and compared; events past their time then leave the database. Run it daily. It may be killed at any moment and run again; two at once do no harm: the second exits with 7.',
    )
    .option('--older-than <span>', 'wait longer than 90 days, such as 120d', days)
    .option('--batch-size <number>', 'events removed in one transaction; default 20000', count)
    .option(
      '--max-runtime <time>',
      'begin nothing new after this, such as 30m; the next run goes on',
      duration,
    )
    .option('--keep', 'archive, and remove nothing from the database')
    .option('--shorten', 'insist on a tier that ends sooner than that of the last run')
    .addHelpText(
      'after',
      examples(
        ['audit archive --quiet', 'audit archive --dry-run', 'audit archive --max-runtime 30m --json'],
        'financectl audit retention | audit archives verify | audit prune',
      ),
    )
    .action((options: ArchiveOptions) => runArchive(host, options));
}

async function runArchive(host: Host, options: ArchiveOptions): Promise<void> {
  await requireDatabase(host);
  const { archiveAuditEvents } = await import('#src/audit/archive/archive-audit-events.ts');
  const progress = startProgress(host);
  try {
    const watch = (step: Step) => progress.show(inWords(step));
    const report = await host.job((job) => archiveAuditEvents(job, { ...options, watch }));
    progress.clear();
    tell(host, report);
  } finally {
    progress.clear();
  }
}

function inWords({ name, day = '', rows }: Step): string {
  const events = rows === undefined ? '' : ` (${rows} events)`;
  return `${day} ${name.replaceAll('_', ' ')}${events}`.trim();
}

function tell(host: Host, report: ArchiveReport): void {
  const { io } = host;
  for (const warning of report.warnings) warn(io, `warning: ${warning}`);
  if (report.status === 'dry_run') {
    for (const { day, rows } of report.planned) say(io, `Would archive ${day}: ${rows} events`);
    say(io, `Would remove ${report.deleted} events from before ${report.removeBefore.toISOString()}`);
  } else {
    const rows = report.archives.reduce((sum, archive) => sum + archive.rows, 0);
    const place = report.target === null ? '' : ` to ${report.target}`;
    say(
      io,
      `Archived ${report.archives.length} days (${rows} events)${place}; removed ${report.deleted} events`,
    );
  }
  if (report.status === 'time_is_up') say(io, 'Time is up: there is more to do, and the next run does it');
  printResult(host, present(report));
}

/** Stable keys; after a dry run the days are what would be archived, and have no file yet. */
function present(report: ArchiveReport): Record<string, unknown> {
  const days = report.status === 'dry_run' ? report.planned : report.archives;
  return {
    status: report.status,
    tier: report.tier,
    target: report.target,
    archived_days: days.length,
    rows: days.reduce((sum, day) => sum + day.rows, 0),
    objects: report.archives.map(({ file }) => file),
    sha256: report.archives.map(({ sha256 }) => sha256),
    from: startOf(days.at(0)?.day, 0),
    to: startOf(days.at(-1)?.day, 1),
    deleted: report.deleted,
    removed_before: report.removeBefore.toISOString(),
    warnings: report.warnings,
    duration_ms: report.durationMs,
  };
}

function startOf(day: string | undefined, daysLater: number): string | null {
  if (day === undefined) return null;
  return new Date(Date.parse(`${day}T00:00:00Z`) + daysLater * DAY_MS).toISOString();
}

function days(text: string): number {
  const days = span(text) / DAY_MS;
  if (days >= SHORTEST_DAYS) return days;
  throw new InvalidArgumentError(`It must be ${SHORTEST_DAYS}d or more.`);
}
