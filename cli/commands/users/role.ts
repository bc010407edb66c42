import type { Command } from 'commander';
import { USER_COLUMNS } from '#cli/commands/users/columns.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { presentRow, printResult } from '#cli/render.ts';

export function role(users: Command, host: Host): void {
  users
    .command('role')
    .summary('change what somebody may do')
    .description('Gives a user another role. The last active super admin keeps it.')
    .argument('<user>', 'email or id')
    .argument('<role>', 'member, admin or super_admin')
    .option('--reason <text>', 'kept in the audit log')
    .addHelpText('after', examples(['users role ada@example.com admin'], 'financectl help roles'))
    .action((user: string, wanted: string, options: { reason?: string }) =>
      runRole(host, { user, role: wanted, ...options }),
    );
}

async function runRole(host: Host, change: { user: string; role: string; reason?: string }): Promise<void> {
  const { changeRole } = await import('#src/users/change-role.ts');
  const user = await host.perform((work) => changeRole(work, change));
  say(host.io, `${user.email} is now ${user.role}`);
  printResult(host, presentRow(USER_COLUMNS, user));
}
