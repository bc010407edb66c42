import { type Command, Option } from 'commander';
import { forEachOf } from '#cli/batch.ts';
import { openSource } from '#cli/commands/providers/source.ts';
import { UsageError } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { startProgress } from '#cli/progress.ts';
import { type Column, listOptions, presentRow, printList } from '#cli/render.ts';
import { shortTime } from '#cli/times.ts';
import type { Federation } from '#src/sso/federation.ts';
import type { SyncedRole } from '#src/sso/roles/sync-roles.ts';

interface SyncOptions {
  header: boolean;
  all?: true;
  provider?: string;
  from: 'provider' | 'stored';
}

/** Providers are asked about so many people at a time. */
const PARALLEL = 4;

const COLUMNS: Column<SyncedRole>[] = [
  { key: 'user', value: ({ email }) => email, whole: true },
  { key: 'provider', value: ({ provider }) => provider },
  { key: 'old', value: ({ old }) => old },
  {
    key: 'new',
    value: (synced) => synced.new,
    text: (synced) => (synced.kept ? `${synced.new} (kept: the last super admin)` : synced.new),
    whole: true,
  },
  {
    key: 'from',
    value: ({ from }) => from,
    text: ({ from, saidAt }) =>
      from === 'provider' ? 'asked now' : `the sign-in of ${shortTime(saidAt, 'never')}`,
    whole: true,
  },
  { key: 'kept', value: ({ kept }) => kept, detail: true },
  { key: 'groups', value: ({ groups }) => groups?.join(' ') ?? null, detail: true },
  { key: 'said_at', value: ({ saidAt }) => saidAt?.toISOString() ?? null, detail: true },
];

/** For programs: a group may have blanks in its name. */
function present(synced: SyncedRole): Record<string, unknown> {
  return { ...presentRow(COLUMNS, synced), groups: synced.groups ?? null };
}

export function syncRoles(users: Command, host: Host): void {
  listOptions(users.command('sync-roles'))
    .summary("recompute roles from identity providers' groups")
    .description(
      "Gives users the role that their provider's groups map to. A provider that gave a refresh token is asked again, otherwise the groups of the last sign-in count; a dry run asks nobody. The last super admin keeps the role.",
    )
    .argument('[user...]', 'emails or ids')
    .option('--all', 'everybody who is connected with a provider')
    .option('--provider <name>', 'only by what this provider says')
    .addOption(
      new Option('--from <source>', 'ask the provider where that is possible, or take what is stored')
        .choices(['provider', 'stored'])
        .default('provider'),
    )
    .addHelpText(
      'after',
      examples(
        ['users sync-roles ada@example.com', 'users sync-roles --all --from stored --dry-run'],
        'financectl providers preview, financectl help roles',
      ),
    )
    .action((references: string[], options: SyncOptions) => runSync(host, references, options));
}

async function runSync(host: Host, references: string[], options: SyncOptions): Promise<void> {
  if (references.length > 0 === (options.all === true)) {
    throw new UsageError(
      references.length > 0 ? '--all and users contradict each other' : 'a <user> or --all is required',
    );
  }
  const [{ createProviderAccess }, sync, { listSyncable }] = await Promise.all([
    import('#src/sso/provider-access.ts'),
    import('#src/sso/roles/sync-roles.ts'),
    import('#src/sso/roles/find-syncable.ts'),
  ]);
  const { caFile, sso } = host.config();
  const { allowPrivateNetworks } = sso;
  const [runtime, source] = [await host.runtime(), await openSource(host)];
  const access = createProviderAccess({ caFile, allowPrivateNetworks, now: () => runtime.now() });
  const federation: Federation = { runtime, source, access };
  const { provider, from } = options;
  const ask = from === 'provider' && !host.dryRun;
  try {
    const entries = await source.list();
    // A refresh token may be used once only, so nobody is asked about twice at a time.
    const users = options.all
      ? await host.read((work) => listSyncable(work, entries, provider))
      : [...new Set(references)];
    if (users.length === 0) say(host.io, 'Nobody is connected with a provider');
    const progress = startProgress(host);
    let done = 0;
    const syncOne = async (user: string) => {
      progress.show(`${done} of ${users.length}  ${user}`);
      done += 1;
      return sync.syncRoles(federation, (task) => host.perform(task), { user, provider, ask });
    };
    const tell = async (rows: SyncedRole[]) => {
      progress.clear();
      await printList(host, options, { rows, columns: COLUMNS, present, empty: '' });
    };
    await forEachOf(host, users, syncOne, tell, { parallel: PARALLEL });
  } finally {
    access.close();
  }
}
