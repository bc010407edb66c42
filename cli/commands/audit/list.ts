import { type Command, Option } from 'commander';
import { AUDIT_COLUMNS, presentAuditRow } from '#cli/commands/audit/columns.ts';
import { type FilterOptions, filterOf, filterOptions } from '#cli/commands/audit/filter-options.ts';
import { follow } from '#cli/commands/audit/follow.ts';
import { tellUnknownProvider } from '#cli/commands/audit/tell-unknown-provider.ts';
import { UsageError } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { listOptions, printList } from '#cli/render.ts';
import { count } from '#cli/values.ts';

interface ListOptions extends FilterOptions {
  header: boolean;
  limit: number;
  follow?: true;
}

export function list(audit: Command, host: Host): void {
  filterOptions(listOptions(audit.command('list')))
    .alias('ls')
    .summary('show what happened, newest first')
    .description(
      'Shows the audit log: who signed in or failed to, every change to users and keys, and who made it. With --follow shows the newest events, oldest first, and then every new one until Ctrl-C; one that is committed late comes when it is committed, in no case twice.',
    )
    .option('--limit <number>', 'at most this many', count, 100)
    .addOption(new Option('-f, --follow', 'go on with what happens from now on').conflicts('until'))
    .addHelpText(
      'after',
      examples([
        'audit list --since 24h',
        'audit list --user ada@example.com --format csv -o ada.csv',
        'audit list --event login_failed --follow --format ndjson',
      ]),
    )
    .action((options: ListOptions) => runList(host, options));
}

async function runList(host: Host, options: ListOptions): Promise<void> {
  if (options.follow && ![undefined, '-'].includes(host.flags.output)) {
    throw new UsageError('--follow never ends, so --output would never be written', 'Use > FILE instead.');
  }
  const filter = await host.read((work) => filterOf(work, options));
  if (options.follow) return follow(host, options, filter);

  const { listAuditEvents } = await import('#src/audit/list-audit-events.ts');
  const { items, next } = await host.read((work) =>
    listAuditEvents(work, { ...filter, limit: options.limit }),
  );
  await printList(host, options, {
    rows: items,
    columns: AUDIT_COLUMNS,
    present: presentAuditRow,
    empty: 'No events match',
  });
  if (items.length === 0 && options.provider) await tellUnknownProvider(host, options.provider);
  if (next) say(host.io, `The newest ${items.length}; --limit and --until show older ones`);
}
