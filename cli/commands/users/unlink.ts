import type { Command } from 'commander';
import { loginPolicy, openSource } from '#cli/commands/providers/source.ts';
import { confirm } from '#cli/confirm.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';
import { AppError } from '#src/kernel/errors.ts';

export function unlink(users: Command, host: Host): void {
  users
    .command('unlink')
    .summary("disconnect a user's account at a provider")
    .description(
      'Disconnects what a user signs in with at an identity provider, and ends the sessions that came from it. Refuses when it is the only way in. Asks first.',
    )
    .argument('<user>', 'email or id')
    .argument('<provider>', 'name or id')
    .addHelpText('after', examples(['users unlink ada@example.com okta --yes'], 'financectl users show'))
    .action((user: string, provider: string) => runUnlink(host, user, provider));
}

async function runUnlink(host: Host, user: string, reference: string): Promise<void> {
  const [{ disconnectUser }, { listIdentities }, { findUser }] = await Promise.all([
    import('#src/sso/identities/disconnect-user.ts'),
    import('#src/sso/identities/list-identities.ts'),
    import('#src/users/find-user.ts'),
  ]);
  const entries = await (await openSource(host)).list();
  const entry = entries.find(({ name }) => name === reference) ?? entries.find(({ id }) => id === reference);
  const provider = entry ?? { id: reference, name: reference };
  const { email, identities } = await host.read(async (work) => {
    const { id, email } = await findUser(work, user);
    const all = await listIdentities(work, id);
    return { email, identities: all.filter((identity) => identity.provider === provider.id) };
  });
  if (identities.length === 0)
    throw new AppError('not_found', `${email} is not connected with ${provider.name}`);

  await confirm(host, `Disconnect ${email} from ${provider.name}?`);
  await host.perform(async (work) => {
    for (const { id } of identities)
      await disconnectUser(work, { user: email, identityId: id, entries, policy: loginPolicy(host) });
  });
  say(host.io, `Disconnected ${email} from ${provider.name}`);
  printResult(host, { email, provider: provider.name, subjects: identities.map(({ subject }) => subject) });
}
