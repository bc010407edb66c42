import type { Command } from 'commander';
import { readSecret } from '#cli/confirm.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';

export function setPassword(users: Command, host: Host): void {
  users
    .command('set-password')
    .summary('give somebody a new password')
    .description(
      'Sets a password, typed unseen on a terminal or piped in; never on the command line. The sessions of the user end, and failed sign-ins of the account are forgotten.',
    )
    .argument('<user>', 'email or id')
    .option('--password-stdin', 'read it from standard input; so it is too wherever nobody can be asked')
    .addHelpText(
      'after',
      examples([
        'users set-password ada@example.com',
        'users set-password ada@example.com --password-stdin < password.txt',
      ]),
    )
    .action((user: string) => runSetPassword(host, user));
}

async function runSetPassword(host: Host, user: string): Promise<void> {
  const password = await readSecret(host, 'New password', '--password-stdin');
  const [operations, { forgetAccountFailures }] = await Promise.all([
    import('#src/users/set-password.ts'),
    import('#src/auth/login-throttle.ts'),
  ]);
  const { id, email } = await host.perform(async (work) => {
    const changed = await operations.setPassword(work, { user, password });
    await forgetAccountFailures(work, changed.email);
    return changed;
  });
  say(host.io, `Set the password of ${email}`);
  printResult(host, { id, email });
}
