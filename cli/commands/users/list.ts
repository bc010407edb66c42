import type { Command } from 'commander';
import { USER_COLUMNS } from '#cli/commands/users/columns.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { listOptions, printList } from '#cli/render.ts';

export function list(users: Command, host: Host): void {
  listOptions(users.command('list'))
    .alias('ls')
    .summary('show everybody')
    .description('Shows every user, by email.')
    .addHelpText('after', examples(['users list', 'users list --format csv -o users.csv']))
    .action((options: { header: boolean }) => runList(host, options));
}

async function runList(host: Host, options: { header: boolean }): Promise<void> {
  const { listUsers } = await import('#src/users/list-users.ts');
  const rows = await host.read((work) => listUsers(work));
  const empty = 'No users yet. Create one with: financectl users create --email EMAIL';
  await printList(host, options, { rows, columns: USER_COLUMNS, empty });
}
