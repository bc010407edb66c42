import { type Command, Option } from 'commander';
import { Verdict } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { type Column, listOptions, presentRow, printList } from '#cli/render.ts';
import { shortTime } from '#cli/times.ts';
import { beginning, count } from '#cli/values.ts';
import type { FailureGroup } from '#src/audit/summarize-failures.ts';

interface FailuresOptions {
  header: boolean;
  since: Date;
  threshold: number;
  limit: number;
  exitCode?: true;
}

const COLUMNS: Column<FailureGroup>[] = [
  { key: 'kind', value: ({ kind }) => kind, whole: true },
  { key: 'value', value: ({ value }) => value },
  { key: 'failures', value: ({ failures }) => failures, align: 'right', whole: true },
  { key: 'reasons', value: ({ reasons }) => JSON.stringify(reasons), text: inWords },
  { key: 'last', value: ({ last }) => last.toISOString(), text: ({ last }) => shortTime(last), whole: true },
];

export function failures(audit: Command, host: Host): void {
  listOptions(audit.command('failures'))
    .summary('sum up failed sign-ins by account, address and provider')
    .description(
      'Counts the failed sign-ins of the audit log: by account (or the email that was typed where nobody has it), by address, and by identity provider (local is the password). Most first. With --exit-code it exits with 8 when one of them has reached the threshold, for cron.',
    )
    .addOption(
      new Option('--since <when>', 'a span such as 24h or 7d, or a date')
        .argParser(beginning)
        .default(beginning('24h'), '24h'),
    )
    .option('--threshold <number>', 'how many failures of one are too many', count, 10)
    .option('--limit <number>', 'at most this many accounts, addresses and providers each', count, 20)
    .option('--exit-code', 'exit with 8 when the threshold is reached')
    .addHelpText(
      'after',
      examples(
        ['audit failures', 'audit failures --since 1h --exit-code --threshold 50 --quiet > /dev/null'],
        'financectl audit list --event login_failed',
      ),
    )
    .action((options: FailuresOptions) => runFailures(host, options));
}

async function runFailures(host: Host, options: FailuresOptions): Promise<void> {
  const { since, limit, threshold } = options;
  const { summarizeFailures } = await import('#src/audit/summarize-failures.ts');
  const { groups, more } = await host.read((work) => summarizeFailures(work, { since, limit }));
  await printList(host, options, {
    rows: groups,
    columns: COLUMNS,
    present: (group) => ({ ...presentRow(COLUMNS, group), reasons: group.reasons }),
    empty: 'No sign-in has failed',
  });
  if (more) say(host.io, `Only the first ${limit} of each kind; --limit shows more`);

  const worst = worstOfEachKind(groups).filter((group) => group.failures >= threshold);
  if (worst.length === 0) return;
  const names = worst.map(({ kind, value, failures }) => `${kind} ${value} (${failures})`).join(', ');
  const verdict = `threshold of ${threshold} failed sign-ins reached: ${names}`;
  if (options.exitCode) throw new Verdict('threshold_reached', 8, verdict);
  say(host.io, verdict);
}

/** Of groups that are ordered most first. */
function worstOfEachKind(groups: readonly FailureGroup[]): FailureGroup[] {
  return groups.filter(({ kind }, index) => groups[index - 1]?.kind !== kind);
}

function inWords({ reasons }: FailureGroup): string {
  return Object.entries(reasons)
    .map(([reason, failures]) => `${reason} ${failures}`)
    .join(', ');
}
