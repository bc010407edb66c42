import type { Command } from 'commander';
import { forEachOf } from '#cli/batch.ts';
import { aboutStored, tellWhenUnused, wayInPolicy } from '#cli/commands/providers/source.ts';
import { confirm } from '#cli/confirm.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';

export function enable(providers: Command, host: Host): void {
  providers
    .command('enable')
    .summary('show it on the login page')
    .description('Shows providers on the login page, from the next request on.')
    .argument('<provider...>', 'names or ids')
    .addHelpText('after', examples(['providers enable okta'], 'financectl providers disable'))
    .action((references: string[]) => runSwitch(host, references, { enabled: true, force: false }));
}

export function disable(providers: Command, host: Host): void {
  providers
    .command('disable')
    .summary('hide it from the login page')
    .description(
      'Hides providers from the login page; sign-ins under way fail too. Sessions that exist go on. Refuses to close the only way in. Asks first.',
    )
    .argument('<provider...>', 'names or ids')
    .option('--force-linked', 'even when it is the only way in for somebody')
    .addHelpText('after', examples(['providers disable okta --yes'], 'financectl providers enable'))
    .action(async (references: string[], { forceLinked = false }: { forceLinked?: boolean }) => {
      await confirm(host, `Disable ${references.join(', ')}?`);
      await runSwitch(host, references, { enabled: false, force: forceLinked });
    });
}

async function runSwitch(
  host: Host,
  references: string[],
  { enabled, force }: { enabled: boolean; force: boolean },
): Promise<void> {
  const { setProviderEnabled } = await import('#src/sso/providers/set-provider-enabled.ts');
  const policy = await wayInPolicy(host);
  const switchOne = async (reference: string) => {
    const { id, name, isChanged } = await aboutStored(host, reference, () =>
      host.perform((work) => setProviderEnabled(work, { provider: reference, enabled, policy, force })),
    );
    const state = enabled ? 'enabled' : 'disabled';
    say(host.io, `${name} is ${state} ${isChanged ? 'now' : 'already'}`);
    return { name, id, enabled };
  };
  await forEachOf(host, references, switchOne, (results) => printResult(host, results));
  tellWhenUnused(host);
}
