import type { Command } from 'commander';
import { typeToConfirm } from '#cli/confirm.ts';
import { UsageError } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';
import type { Departure } from '#src/users/delete-user.ts';

export function deleteUser(users: Command, host: Host): void {
  users
    .command('delete')
    .alias('rm')
    .summary('remove somebody for good')
    .description(
      'Removes a user with its API keys and sessions. It cannot be undone. The last member of a family takes its ledger along. Asks for the email; --yes is not enough.',
    )
    .argument('<user>', 'email or id')
    .option('--confirm <email>', 'the email again, for scripts')
    .addHelpText(
      'after',
      examples(['users delete ada@example.com', 'users delete ada@example.com --confirm ada@example.com']),
    )
    .action((user: string, options: { confirm?: string }) => runDelete(host, user, options.confirm));
}

async function runDelete(host: Host, user: string, confirmed: string | undefined): Promise<void> {
  if (host.flags.yes && confirmed === undefined) {
    throw new UsageError(
      '--yes is not enough to delete somebody',
      'Give the email again with --confirm EMAIL.',
    );
  }
  const operations = await import('#src/users/delete-user.ts');
  const departure = await host.read((work) => operations.previewDeletion(work, { user }));
  say(host.io, `This permanently deletes ${describe(departure)}. It cannot be undone.`);
  const confirmation =
    confirmed ??
    (await typeToConfirm(host, 'Type the email to confirm', `--confirm ${departure.user.email}`));

  const { id, email } = departure.user;
  await host.perform((work) => operations.deleteUser(work, { user: id, confirmation }));
  say(host.io, `Deleted ${email}`);
  printResult(host, { id, email, took_family: departure.takesFamily });
}

function describe({ user, apiKeys, sessions, familyName, takesFamily, entries }: Departure): string {
  const family = takesFamily
    ? `and, as its last member, the family "${familyName}" with all its ${entries} entries`
    : `of the family "${familyName}"`;
  return `${user.email} (${user.role}, ${apiKeys} API keys, ${sessions} sessions) ${family}`;
}
