import { Argument, type Command } from 'commander';
import { openSource } from '#cli/commands/providers/source.ts';
import { USER_COLUMNS } from '#cli/commands/users/columns.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say, warn } from '#cli/io.ts';
import { presentRow, printResult } from '#cli/render.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { ProviderEntry } from '#src/sso/providers/provider-source.ts';
import { ROLES } from '#src/users/role.ts';

export function role(users: Command, host: Host): void {
  users
    .command('role')
    .summary('change what somebody may do')
    .description(
      'Gives a user another role, and warns where the next sign-in through an identity provider takes it away again. The last active super admin keeps it.',
    )
    .argument('<user>', 'email or id')
    .addArgument(new Argument('<role>', 'what it may do from now on').choices(ROLES))
    .option('--reason <text>', 'kept in the audit log')
    .addHelpText('after', examples(['users role ada@example.com admin'], 'financectl help roles'))
    .action((user: string, wanted: string, options: { reason?: string }) =>
      runRole(host, { user, role: wanted, ...options }),
    );
}

async function runRole(host: Host, change: { user: string; role: string; reason?: string }): Promise<void> {
  const [{ changeRole }, { foreseeRole }] = await Promise.all([
    import('#src/users/change-role.ts'),
    import('#src/sso/roles/foresee-role.ts'),
  ]);
  const entries = await listEntries(host);
  const { user, next } = await host.perform(async (work) => {
    const user = await changeRole(work, change);
    return { user, next: await foreseeRole(work, entries, user) };
  });
  say(host.io, `${user.email} is now ${user.role}`);
  if (next && next.role !== user.role) {
    warn(
      host.io,
      `warning: the next sign-in through ${next.provider} makes it ${next.role} again, as its groups and rules say`,
    );
  }
  printResult(host, presentRow(USER_COLUMNS, user));
}

/** None where the file of providers cannot be read: then nobody signs in through one either. */
async function listEntries(host: Host): Promise<ProviderEntry[]> {
  try {
    return await (await openSource(host)).list();
  } catch (error) {
    if (error instanceof AppError && error.code === 'configuration_invalid') return [];
    throw error;
  }
}
