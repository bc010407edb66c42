import { type Command, Option } from 'commander';
import { AUDIT_COLUMNS, presentAuditRow } from '#cli/commands/audit/columns.ts';
import { follow } from '#cli/commands/audit/follow.ts';
import { UsageError } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { listOptions, printList } from '#cli/render.ts';
import { beginning, count, moment } from '#cli/values.ts';
import type { AuditFilter } from '#src/audit/audit-row.ts';
import { EVENT_TYPES } from '#src/audit/event-types.ts';
import type { Work } from '#src/kernel/work.ts';

interface ListOptions {
  header: boolean;
  event?: string;
  user?: string;
  actorUser?: string;
  provider?: string;
  since?: Date;
  until?: Date;
  limit: number;
  follow?: true;
}

export function list(audit: Command, host: Host): void {
  listOptions(audit.command('list'))
    .alias('ls')
    .summary('show what happened, newest first')
    .description(
      'Shows the audit log: who signed in or failed to, every change to users and keys, and who made it. With --follow shows the newest events, oldest first, and then every new one until Ctrl-C; one that is committed late comes when it is committed, in no case twice.',
    )
    .addOption(new Option('--event <type>', 'only events of this type').choices(EVENT_TYPES))
    .option('--user <user>', 'only what is about this user (email or id)')
    .option('--actor-user <user>', 'only what this user did (email or id)')
    .option('--provider <name>', 'only what went through this identity provider')
    .option('--since <when>', 'a span such as 24h or 7d, or a date', beginning)
    .addOption(new Option('--until <date>', 'before this moment').argParser(moment))
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
  if (next) say(host.io, `The newest ${items.length}; --limit and --until show older ones`);
}

async function filterOf(work: Work, options: ListOptions): Promise<AuditFilter> {
  const { event: eventType, user, actorUser, provider, since, until } = options;
  const { findUserId } = await import('#src/users/find-user.ts');
  const idOf = (reference: string | undefined) =>
    reference === undefined ? undefined : findUserId(work, reference);
  return { eventType, userId: await idOf(user), actorId: await idOf(actorUser), provider, since, until };
}
