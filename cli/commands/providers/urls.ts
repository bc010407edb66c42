import type { Command } from 'commander';
import { openSource } from '#cli/commands/providers/source.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { printFields } from '#cli/render.ts';

export function urls(providers: Command, host: Host): void {
  providers
    .command('urls')
    .summary('show the addresses to register with a provider')
    .description(
      'Shows what to enter on the side of the provider: callback; for OpenID Connect those of logout too; for SAML entity id, metadata and logout.',
    )
    .argument('<provider>', 'name or id')
    .addHelpText('after', examples(['providers urls okta'], 'financectl providers show'))
    .action((reference: string) => runUrls(host, reference));
}

async function runUrls(host: Host, reference: string): Promise<void> {
  const [{ findEntry }, { providerUrls }] = await Promise.all([
    import('#src/sso/providers/find-entry.ts'),
    import('#src/sso/providers/provider-urls.ts'),
  ]);
  const entry = await findEntry(await openSource(host), reference);
  const { id, name, strategy, provider } = entry;
  const redirectUri = provider && provider.strategy !== 'saml' ? provider.redirectUri : undefined;
  const addresses = providerUrls({ id, name, strategy, redirectUri }, host.config().http.appUrl);
  const lines = Object.entries(addresses).map(([key, url]): [string, string] => [
    key.replaceAll('_', ' '),
    url,
  ]);
  printFields(host, lines, addresses);
}
