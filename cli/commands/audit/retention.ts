import type { Command } from 'commander';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { type Cell, printFields } from '#cli/render.ts';
import { iso, shortTime } from '#cli/times.ts';
import type { RetentionSummary } from '#src/audit/archive/retention/summarize-retention.ts';
import type { RetentionTier } from '#src/kernel/config.ts';

const TIERS: Readonly<Record<RetentionTier, string>> = {
  standard: '90 days in the database, no archive',
  extended: '1 year in the database; archived after 90 days, the archive kept 1 year',
  compliance: '1 year in the database; archived after 90 days, the archive kept 7 years',
};

export function retention(audit: Command, host: Host): void {
  audit
    .command('retention')
    .summary('show how long the audit log is kept, and what is due')
    .description(
      'Shows the tiers and the one in force (AUDIT_RETENTION), how many events there are of which age, what has been archived where, when `audit archive` last finished, and what it would do now.',
    )
    .addHelpText('after', examples(['audit retention', 'audit retention --json'], 'financectl audit archive'))
    .action(() => runRetention(host));
}

async function runRetention(host: Host): Promise<void> {
  const { summarizeRetention } = await import('#src/audit/archive/retention/summarize-retention.ts');
  const summary = await summarizeRetention(await host.runtime());
  printFields(host, fields(summary), present(summary));
  for (const line of advice(summary)) say(host.io, line);
}

function fields(summary: RetentionSummary): [string, Cell][] {
  const { tier, events, archives, due } = summary;
  const tiers = Object.entries(TIERS).map(([name, about]): [string, Cell] => [
    `${name}${name === tier ? ' (in force)' : ''}`,
    about,
  ]);
  return [
    ...tiers,
    ['events up to 90 days', events.upTo90Days],
    ['events up to 1 year', events.upTo1Year],
    ['older events', events.older],
    ['oldest event', shortTime(summary.oldestEventAt ?? null)],
    ['archive', summary.target],
    ['archived', archives.days === 0 ? 'nothing' : archivesInWords(archives)],
    ['last run', shortTime(summary.lastSuccessAt ?? null, 'never')],
    ['kept to by it', summary.lastTier],
    ['due', `${due.archive} days to archive, ${due.remove} events to remove, ${due.prune} archives to prune`],
  ];
}

function archivesInWords({ days, rows, bytes, from, to }: RetentionSummary['archives']): string {
  return `${days} days with ${rows} events (${from} to ${to}), ${Math.ceil(bytes / 1024)} KiB`;
}

function advice({ tier, lastTier, due }: RetentionSummary): string[] {
  const lines: string[] = [];
  if (due.archive > 0 || due.remove > 0) lines.push("Run 'financectl audit archive', best daily by cron");
  if (due.prune > 0) lines.push("Run 'financectl audit prune' to remove archives that are past their time");
  if (lastTier !== undefined && lastTier !== tier) lines.push(`The last run kept to ${lastTier}`);
  return lines;
}

function present(summary: RetentionSummary): Record<string, unknown> {
  const { events, archives, due } = summary;
  return {
    tier: summary.tier,
    last_tier: summary.lastTier ?? null,
    last_success_at: iso(summary.lastSuccessAt ?? null),
    target: summary.target,
    oldest_event_at: iso(summary.oldestEventAt ?? null),
    events: { up_to_90_days: events.upTo90Days, up_to_1_year: events.upTo1Year, older: events.older },
    archives: { ...archives, from: archives.from ?? null, to: archives.to ?? null },
    due,
    tiers: Object.entries(TIERS).map(([name, about]) => ({ name, about })),
  };
}
