import type { Command } from 'commander';
import { forEachOf } from '#cli/batch.ts';
import { USER_COLUMNS } from '#cli/commands/users/columns.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { presentRow, printResult } from '#cli/render.ts';

export function reactivate(users: Command, host: Host): void {
  users
    .command('reactivate')
    .summary('give access back')
    .description(
      'Gives suspended users access again; keys that were not revoked open the API again, sessions stay ended.',
    )
    .argument('<user...>', 'emails or ids')
    .addHelpText('after', examples(['users reactivate ada@example.com'], 'financectl users suspend'))
    .action((references: string[]) => runReactivate(host, references));
}

async function runReactivate(host: Host, references: string[]): Promise<void> {
  const { reactivateUser } = await import('#src/users/reactivate-user.ts');
  const reactivateOne = async (reference: string) => {
    const user = await host.perform((work) => reactivateUser(work, { user: reference }));
    say(host.io, `Reactivated ${user.email}`);
    return presentRow(USER_COLUMNS, user);
  };
  await forEachOf(host, references, reactivateOne, (results) => printResult(host, results));
}
