import { type Command, Option } from 'commander';
import { openSource } from '#cli/commands/providers/source.ts';
import { USER_ROW_COLUMNS } from '#cli/commands/users/columns.ts';
import { UsageError } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { listOptions, printList } from '#cli/render.ts';
import { count } from '#cli/values.ts';
import { totalPages } from '#src/kernel/page.ts';
import { SIGN_IN_METHODS, USER_STATUSES } from '#src/users/list-users.ts';
import { ROLES } from '#src/users/role.ts';

interface ListOptions {
  header: boolean;
  search?: string;
  role?: string;
  status?: string;
  method?: string;
  provider?: string;
  family?: string;
  page: number;
  limit: number;
}

export function list(users: Command, host: Host): void {
  listOptions(users.command('list'))
    .alias('ls')
    .summary('show who there is')
    .description('Shows users by email, with what they have and when they last signed in.')
    .option('--search <text>', 'somewhere in the email or the name, in either case')
    .addOption(new Option('--role <role>', 'only users of this role').choices(ROLES))
    .addOption(new Option('--status <status>', 'only active or suspended users').choices(USER_STATUSES))
    .option('--method <method>', 'only who has a password, none, or an account at this provider')
    .option('--provider <name>', 'only who is connected with this identity provider')
    .option('--family <family>', 'only members of this family (name or id)')
    .option('--page <number>', 'which page, from 1', count, 1)
    .option('--limit <number>', 'how many on a page', count, 100)
    .addHelpText(
      'after',
      examples(
        [
          'users list --search lovelace',
          'users list --status suspended --limit 1000 --format csv -o suspended.csv',
        ],
        'financectl users show',
      ),
    )
    .action((options: ListOptions) => runList(host, options));
}

async function runList(host: Host, options: ListOptions): Promise<void> {
  const { search, role, status, family, page: number, limit } = options;
  const [{ listUsers }, { findFamily }] = await Promise.all([
    import('#src/users/list-users.ts'),
    import('#src/ledger/find-family.ts'),
  ]);
  const { idleMinutes } = host.config().session;
  const way = await readWay(host, options);
  const page = await host.read(async (work) => {
    const familyId = family === undefined ? undefined : (await findFamily(work, family)).id;
    const filter = { search, role, status, ...way, familyId, idleMinutes };
    return listUsers(work, { ...filter, page: number, perPage: limit });
  });

  await printList(host, options, {
    rows: page.items,
    columns: USER_ROW_COLUMNS,
    empty: emptiness(page.totalCount, options),
  });
  const shown = page.items.length;
  if (shown < page.totalCount) {
    say(
      host.io,
      `${shown} of ${page.totalCount}, page ${page.page} of ${totalPages(page)}; --page shows more`,
    );
  }
}

/** How somebody signs in: one of our own ways, or the name of a provider. */
async function readWay(
  host: Host,
  { method, provider }: ListOptions,
): Promise<{ method?: string; identityProvider?: string }> {
  if (provider !== undefined) return connectedWith(host, provider, method);
  if (method === undefined) return {};
  if (SIGN_IN_METHODS.some((each) => each === method)) return { method };
  const entry = await (await openSource(host)).lookUpByName(method);
  if (entry) return { identityProvider: entry.id };
  throw new UsageError(`--method must be ${SIGN_IN_METHODS.join(', ')} or the name of a provider`);
}

async function connectedWith(host: Host, provider: string, method: string | undefined) {
  const { findEntry } = await import('#src/sso/providers/find-entry.ts');
  const { id } = await findEntry(await openSource(host), provider);
  if (method !== undefined && !SIGN_IN_METHODS.some((each) => each === method))
    throw new UsageError('--provider and the provider of --method contradict each other');
  return { identityProvider: id, ...(method !== undefined && { method }) };
}

function emptiness(total: number, { page, ...options }: ListOptions): string {
  if (total > 0) return `Nothing on page ${page}`;
  const { search, role, status, method, provider, family } = options;
  const isFiltered = search ?? role ?? status ?? method ?? provider ?? family;
  return isFiltered
    ? 'No users match'
    : 'No users yet. Create one with: financectl users create --email EMAIL';
}
