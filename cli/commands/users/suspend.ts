import type { Command } from 'commander';
import { forEachOf } from '#cli/batch.ts';
import { USER_COLUMNS } from '#cli/commands/users/columns.ts';
import { confirm } from '#cli/confirm.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { presentRow, printResult } from '#cli/render.ts';

export function suspend(users: Command, host: Host): void {
  users
    .command('suspend')
    .summary('end access until reactivated')
    .description(
      'Suspends users. Their API keys are refused from the next request on, and their sessions end. Asks first.',
    )
    .argument('<user...>', 'emails or ids')
    .option('--reason <text>', 'kept in the audit log')
    .addHelpText(
      'after',
      examples(['users suspend ada@example.com --reason "lost laptop" --yes'], 'financectl users reactivate'),
    )
    .action((references: string[], options: { reason?: string }) => runSuspend(host, references, options));
}

async function runSuspend(host: Host, references: string[], { reason }: { reason?: string }): Promise<void> {
  await confirm(
    host,
    references.length === 1 ? `Suspend ${references[0]}?` : `Suspend ${references.length} users?`,
  );
  const { suspendUser } = await import('#src/users/suspend-user.ts');
  const suspendOne = async (reference: string) => {
    const user = await host.perform((work) => suspendUser(work, { user: reference, reason }));
    say(host.io, `Suspended ${user.email}`);
    return presentRow(USER_COLUMNS, user);
  };
  await forEachOf(host, references, suspendOne, (results) => printResult(host, results));
}
