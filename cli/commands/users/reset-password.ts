import type { Command } from 'commander';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say, warn } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';

export function resetPassword(users: Command, host: Host): void {
  users
    .command('reset-password')
    .summary('make a link to choose a new password')
    .description(
      'Prints a link, alone on stdout, with which the user chooses a new password once, within 15 minutes. An older link is void. Nothing is mailed.',
    )
    .argument('<user>', 'email or id')
    .addHelpText('after', examples(['users reset-password ada@example.com'], 'financectl users set-password'))
    .action((user: string) => runResetPassword(host, user));
}

async function runResetPassword(host: Host, user: string): Promise<void> {
  const [{ createPasswordReset, RESET_MINUTES }, { passwordResetLink }] = await Promise.all([
    import('#src/users/create-password-reset.ts'),
    import('#src/users/links.ts'),
  ]);
  const { userId, email, token } = await host.perform((work) => createPasswordReset(work, { user }));
  const { auth, http } = host.config();
  // After a dry run the link opens nothing.
  const link = host.dryRun ? null : passwordResetLink(http.appUrl, token);
  if (link) say(host.io, `Made a link for ${email}: it works once, for ${RESET_MINUTES} minutes`);
  if (!auth.localLogin) {
    warn(
      host.io,
      'warning: AUTH_LOCAL_LOGIN_ENABLED is false, so the link opens nothing until that is changed',
    );
  }
  printResult(host, { id: userId, email, valid_minutes: RESET_MINUTES, link }, link ?? undefined);
}
