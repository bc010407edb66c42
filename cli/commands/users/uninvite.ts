import type { Command } from 'commander';
import { forEachOf } from '#cli/batch.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';

export function uninvite(users: Command, host: Host): void {
  users
    .command('uninvite')
    .summary('take invitations back')
    .description('Withdraws pending invitations: their links open nothing any more.')
    .argument('<email...>', 'emails or ids, as users invitations shows them')
    .addHelpText('after', examples(['users uninvite bob@example.com'], 'financectl users invitations'))
    .action((references: string[]) => runUninvite(host, references));
}

async function runUninvite(host: Host, references: string[]): Promise<void> {
  const { withdrawInvitation } = await import('#src/users/withdraw-invitation.ts');
  const uninviteOne = async (reference: string) => {
    const gone = await host.perform((work) => withdrawInvitation(work, { invitation: reference }));
    say(host.io, `Withdrew the invitation of ${gone.email}`);
    return gone;
  };
  await forEachOf(host, references, uninviteOne, (results) => printResult(host, results));
}
