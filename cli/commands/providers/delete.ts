import type { Command } from 'commander';
import { aboutStored, wayInPolicy } from '#cli/commands/providers/source.ts';
import { confirm } from '#cli/confirm.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';

export function deleteProvider(providers: Command, host: Host): void {
  providers
    .command('delete')
    .alias('rm')
    .summary('remove a provider for good')
    .description(
      'Removes a provider from the database, with its secrets and with what connects users to it. Refuses when it is the only way in for somebody, and lists them. Asks first.',
    )
    .argument('<provider>', 'name or id')
    .option('--force-linked', 'even when it is the only way in for somebody')
    .addHelpText('after', examples(['providers delete okta --yes'], 'financectl providers disable'))
    .action((reference: string, { forceLinked = false }: { forceLinked?: boolean }) =>
      runDelete(host, reference, forceLinked),
    );
}

async function runDelete(host: Host, reference: string, force: boolean): Promise<void> {
  const operations = await import('#src/sso/providers/delete-provider.ts');
  const policy = await wayInPolicy(host);
  const { id, name, linked, stranded } = await aboutStored(host, reference, () =>
    host.read((work) => operations.previewProviderDeletion(work, { provider: reference, policy })),
  );
  say(host.io, `This removes ${name} and disconnects ${linked} ${linked === 1 ? 'user' : 'users'} from it.`);
  if (stranded.length > 0) say(host.io, `They have no other way in: ${stranded.join(', ')}`);
  await confirm(host, `Delete ${name}?`);
  await host.perform((work) => operations.deleteProvider(work, { provider: id, policy, force }));
  say(host.io, `Deleted ${name}`);
  printResult(host, { id, name, disconnected: linked, without_way_in: stranded });
}
