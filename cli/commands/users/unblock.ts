import type { Command } from 'commander';
import { openSource } from '#cli/commands/providers/source.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';

export function unblock(users: Command, host: Host): void {
  users
    .command('unblock')
    .summary('let somebody whose account was deleted sign in again')
    .description(
      'Deleting a user blocks the accounts at identity providers that opened theirs. This lets one make an account again, under the rules for newcomers.',
    )
    .argument('<provider>', 'name or id')
    .argument('<subject>', 'who it is at the provider; users blocked tells')
    .addHelpText('after', examples(['users unblock okta 00u1abcd'], 'financectl users blocked'))
    .action((provider: string, subject: string) => runUnblock(host, provider, subject));
}

async function runUnblock(host: Host, reference: string, subject: string): Promise<void> {
  const { unblockIdentity } = await import('#src/sso/identities/unblock-identity.ts');
  const source = await openSource(host);
  // A provider that is gone has left its id.
  const entry = (await source.lookUpByName(reference)) ?? (await source.lookUpById(reference));
  const { id, name } = entry ?? { id: reference, name: reference };
  await host.perform((work) => unblockIdentity(work, { provider: id, name, subject }));
  say(host.io, `${subject} may sign in through ${name} again`);
  printResult(host, { provider: name, subject });
}
