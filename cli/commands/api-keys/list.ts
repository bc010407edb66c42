import type { Command } from 'commander';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { type Column, listOptions, printList } from '#cli/render.ts';
import { iso, shortTime } from '#cli/times.ts';
import type { ApiKeyRow } from '#src/auth/list-api-keys.ts';

interface ListOptions {
  header: boolean;
  user?: string;
}

const COLUMNS: Column<ApiKeyRow>[] = [
  { key: 'name', value: ({ name }) => name },
  { key: 'email', header: 'USER', value: ({ email }) => email },
  { key: 'scope', value: ({ scope }) => scope },
  { key: 'display', header: 'KEY', value: ({ display }) => display },
  {
    key: 'created_at',
    header: 'CREATED',
    value: ({ createdAt }) => iso(createdAt),
    text: ({ createdAt }) => shortTime(createdAt),
  },
  {
    key: 'last_used_at',
    header: 'LAST USED',
    value: ({ lastUsedAt }) => iso(lastUsedAt),
    text: ({ lastUsedAt }) => shortTime(lastUsedAt, 'never'),
  },
  {
    key: 'expires_at',
    header: 'EXPIRES',
    value: ({ expiresAt }) => iso(expiresAt),
    text: ({ expiresAt }) => shortTime(expiresAt, 'never'),
  },
  {
    key: 'revoked_at',
    header: 'REVOKED',
    value: ({ revokedAt }) => iso(revokedAt),
    text: ({ revokedAt }) => shortTime(revokedAt),
  },
  { key: 'id', value: ({ id }) => id, whole: true },
];

export function list(apiKeys: Command, host: Host): void {
  listOptions(apiKeys.command('list'))
    .alias('ls')
    .summary('show keys, never their values')
    .description(
      'Shows every key, newest first, revoked ones included. The keys themselves are stored nowhere.',
    )
    .option('--user <user>', 'only the keys of this user (email or id)')
    .addHelpText('after', examples(['api-keys list', 'api-keys list --user ada@example.com --json']))
    .action((options: ListOptions) => runList(host, options));
}

async function runList(host: Host, options: ListOptions): Promise<void> {
  const [{ listApiKeys }, { findUser }] = await Promise.all([
    import('#src/auth/list-api-keys.ts'),
    import('#src/users/find-user.ts'),
  ]);
  const rows = await host.read(async (work) => {
    const userId = options.user === undefined ? undefined : (await findUser(work, options.user)).id;
    return listApiKeys(work, { userId });
  });
  const empty = 'No keys. Make one with: financectl api-keys create --user EMAIL --name NAME';
  await printList(host, options, { rows, columns: COLUMNS, empty });
}
