import type { Command } from 'commander';
import { forEachOf } from '#cli/batch.ts';
import { SESSION_COLUMNS } from '#cli/commands/users/session-columns.ts';
import { confirm } from '#cli/confirm.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { listOptions, printList, printResult } from '#cli/render.ts';

interface SessionsOptions {
  header: boolean;
  revoke?: true;
}

export function sessions(users: Command, host: Host): void {
  listOptions(users.command('sessions'))
    .summary('show where somebody is signed in, or sign them out')
    .description(
      'Shows the sessions of users, last used first. With --revoke ends all of them: every process refuses them from the next request on. Asks first.',
    )
    .argument('<user...>', 'emails or ids')
    .option('--revoke', 'end them')
    .addHelpText(
      'after',
      examples(
        ['users sessions ada@example.com', 'users sessions ada@example.com --revoke --yes'],
        'financectl users suspend',
      ),
    )
    .action((references: string[], options: SessionsOptions) =>
      options.revoke ? runRevoke(host, references) : runList(host, references, options),
    );
}

async function runList(host: Host, references: string[], options: SessionsOptions): Promise<void> {
  const [{ listSessions }, { findUser }] = await Promise.all([
    import('#src/auth/list-sessions.ts'),
    import('#src/users/find-user.ts'),
  ]);
  const { idleMinutes } = host.config().session;
  const listOne = (reference: string) =>
    host.read(async (work) => {
      const { id: userId, email } = await findUser(work, reference);
      return (await listSessions(work, { userId, idleMinutes })).map((row) => ({ ...row, email }));
    });
  await forEachOf(host, references, listOne, (lists) =>
    printList(host, options, {
      rows: lists.flat(),
      columns: SESSION_COLUMNS,
      empty: 'No sessions',
    }),
  );
}

async function runRevoke(host: Host, references: string[]): Promise<void> {
  const whose = references.length === 1 ? references[0] : `${references.length} users`;
  await confirm(host, `End all sessions of ${whose}?`);
  const { revokeSessions } = await import('#src/users/revoke-sessions.ts');
  const revokeOne = async (reference: string) => {
    const { user, sessions } = await host.perform((work) => revokeSessions(work, { user: reference }));
    say(host.io, `Ended ${sessions === 1 ? 'one session' : `${sessions} sessions`} of ${user.email}`);
    return { id: user.id, email: user.email, sessions };
  };
  await forEachOf(host, references, revokeOne, (results) => printResult(host, results));
}
