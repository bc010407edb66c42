import type { Command } from 'commander';
import { openSource } from '#cli/commands/providers/source.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { type Column, listOptions, printList } from '#cli/render.ts';
import { iso, shortTime } from '#cli/times.ts';
import type { BlockedIdentity } from '#src/sso/identities/list-blocked-identities.ts';

const COLUMNS: Column<BlockedIdentity>[] = [
  { key: 'provider', value: ({ provider }) => provider, whole: true },
  { key: 'subject', value: ({ subject }) => subject, whole: true },
  { key: 'email', value: ({ email }) => email },
  {
    key: 'blocked_at',
    header: 'BLOCKED',
    value: ({ createdAt }) => iso(createdAt),
    text: ({ createdAt }) => shortTime(createdAt),
  },
];

export function blocked(users: Command, host: Host): void {
  listOptions(users.command('blocked'))
    .summary('show who cannot sign in again because their account was deleted')
    .description(
      'Shows what deleted users signed in with at identity providers, the latest first, 500 at most; it makes no account again until it is unblocked.',
    )
    .addHelpText('after', examples(['users blocked'], 'financectl users unblock'))
    .action((options: { header: boolean }) => runBlocked(host, options));
}

async function runBlocked(host: Host, options: { header: boolean }): Promise<void> {
  const { listBlockedIdentities } = await import('#src/sso/identities/list-blocked-identities.ts');
  const entries = await (await openSource(host)).list();
  const identities = await host.read(listBlockedIdentities);
  // A provider that is gone has left its id.
  const rows = identities.map(({ provider, ...identity }) => ({
    ...identity,
    provider: entries.find(({ id }) => id === provider)?.name ?? provider,
  }));
  await printList(host, options, { rows, columns: COLUMNS, empty: 'No identity is blocked' });
}
