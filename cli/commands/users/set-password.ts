import type { Command } from 'commander';
import { readSecret } from '#cli/confirm.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';

export function setPassword(users: Command, host: Host): void {
  users
    .command('set-password')
    .summary('give somebody a new password')
    .description(
      'Sets a password, typed unseen on a terminal or piped in; never on the command line. The sessions of the user end.',
    )
    .argument('<user>', 'email or id')
    .addHelpText('after', examples(['users set-password ada@example.com < password.txt']))
    .action((user: string) => runSetPassword(host, user));
}

async function runSetPassword(host: Host, user: string): Promise<void> {
  const password = await readSecret(host, 'New password');
  const operations = await import('#src/users/set-password.ts');
  const { email } = await host.perform((work) => operations.setPassword(work, { user, password }));
  say(host.io, `Set the password of ${email}`);
}
