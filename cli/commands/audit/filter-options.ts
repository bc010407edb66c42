import { type Command, Option } from 'commander';
import { beginning, moment } from '#cli/values.ts';
import type { AuditFilter } from '#src/audit/audit-row.ts';
import { EVENT_TYPES } from '#src/audit/event-types.ts';
import type { Work } from '#src/kernel/work.ts';

export interface FilterOptions {
  event?: string;
  user?: string;
  actorUser?: string;
  provider?: string;
  since?: Date;
  until?: Date;
}

/** The options that say which events are meant. */
export function filterOptions(command: Command): Command {
  return command
    .addOption(new Option('--event <type>', 'only events of this type').choices(EVENT_TYPES))
    .option('--user <user>', 'only what is about this user (email or id)')
    .option('--actor-user <user>', 'only what this user did (email or id)')
    .option('--provider <name>', 'only what went through this identity provider')
    .option('--since <when>', 'a span such as 24h or 7d, or a date', beginning)
    .addOption(new Option('--until <date>', 'before this moment').argParser(moment));
}

export async function filterOf(work: Work, options: FilterOptions): Promise<AuditFilter> {
  const { event: eventType, user, actorUser, provider, since, until } = options;
  const { findUserId } = await import('#src/users/find-user.ts');
  const idOf = (reference: string | undefined) =>
    reference === undefined ? undefined : findUserId(work, reference);
  return { eventType, userId: await idOf(user), actorId: await idOf(actorUser), provider, since, until };
}
