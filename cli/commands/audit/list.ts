import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { type Column, listOptions, printList } from '#cli/render.ts';
import { iso, shortTime } from '#cli/times.ts';
import { count, moment, span } from '#cli/values.ts';
import type { AuditEvent } from '#src/audit/audit-event.entity.ts';
import { EVENT_TYPES, type EventType } from '#src/audit/event-types.ts';

interface ListOptions {
  header: boolean;
  event?: EventType;
  user?: string;
  since?: Date;
  until?: Date;
  limit: number;
}

export function list(audit: Command, host: Host): void {
  listOptions(audit.command('list'))
    .alias('ls')
    .summary('show what happened, newest first')
    .description('Shows the audit log: every change to users and keys, and who made it.')
    .addOption(new Option('--event <type>', 'only events of this type').choices(EVENT_TYPES))
    .option('--user <user>', 'only what is about this user (email or id)')
    .option('--since <when>', 'a span such as 24h or 7d, or a date', beginning)
    .option('--until <date>', 'before this moment', moment)
    .option('--limit <number>', 'at most this many', count, 100)
    .addHelpText(
      'after',
      examples(['audit list --since 24h', 'audit list --user ada@example.com --format csv -o ada.csv']),
    )
    .action((options: ListOptions) => runList(host, options));
}

async function runList(host: Host, options: ListOptions): Promise<void> {
  const { event, user, since, until, limit } = options;
  const [{ listAuditEvents }, { findUserId }] = await Promise.all([
    import('#src/audit/list-audit-events.ts'),
    import('#src/users/find-user.ts'),
  ]);
  const rows = await host.read(async (work) => {
    const userId = user === undefined ? undefined : await findUserId(work, user);
    return listAuditEvents(work, { eventType: event, userId, since, until, limit });
  });
  await printList(host, options, { rows, columns: COLUMNS, empty: 'No events match' });
}

/** `24h` ago, or the moment itself. */
function beginning(text: string): Date {
  if (/^\d+[hdw]$/.test(text)) return new Date(Date.now() - span(text));
  try {
    return moment(text);
  } catch {
    throw new InvalidArgumentError('It must be a span such as 24h or 7d, or a date such as 2026-01-31.');
  }
}

const COLUMNS: Column<AuditEvent>[] = [
  {
    key: 'created_at',
    header: 'WHEN',
    value: ({ createdAt }) => iso(createdAt),
    text: ({ createdAt }) => shortTime(createdAt),
  },
  { key: 'event_type', header: 'EVENT', value: ({ eventType }) => eventType },
  { key: 'user_id', header: 'USER', value: ({ userId }) => userId, whole: true },
  { key: 'actor_kind', header: 'BY', value: ({ actorKind }) => actorKind },
  { key: 'actor_id', value: ({ actorId }) => actorId, detail: true },
  { key: 'metadata', header: 'DETAILS', value: ({ metadata }) => JSON.stringify(metadata) },
  { key: 'id', value: ({ id }) => id, detail: true },
];
