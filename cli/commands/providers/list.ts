import { type Command, Option } from 'commander';
import { PROVIDER_COLUMNS, type ProviderRow } from '#cli/commands/providers/columns.ts';
import { openSource } from '#cli/commands/providers/source.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { listOptions, printList } from '#cli/render.ts';
import { STRATEGIES } from '#src/sso/providers/provider.ts';
import type { ProviderEntry } from '#src/sso/providers/provider-source.ts';

interface ListOptions {
  header: boolean;
  enabled?: true;
  disabled?: true;
  strategy?: string;
  source?: string;
}

export function list(providers: Command, host: Host): void {
  listOptions(providers.command('list'))
    .alias('ls')
    .summary('show every provider, and why one cannot work')
    .description(
      'Shows the identity providers of AUTH_PROVIDERS_SOURCE: of the database by name, of the file in its order. One that cannot work says why, and has no button on the login page.',
    )
    .option('--enabled', 'only those that are enabled')
    .addOption(new Option('--disabled', 'only those that are not').conflicts('enabled'))
    .addOption(new Option('--strategy <strategy>', 'only those of this kind').choices(STRATEGIES))
    .addOption(
      new Option('--source <source>', 'look there, whatever the settings say').choices(['db', 'yaml']),
    )
    .addHelpText(
      'after',
      examples(['providers list', 'providers list --source yaml --json'], 'financectl providers test'),
    )
    .action((options: ListOptions) => runList(host, options));
}

async function runList(host: Host, options: ListOptions): Promise<void> {
  const [source, { listProviderUsage }, { listKnownMetadata }, { partyInUse }] = await Promise.all([
    openSource(host, options.source),
    import('#src/sso/providers/list-provider-usage.ts'),
    import('#src/sso/saml/metadata/known-metadata.ts'),
    import('#src/sso/saml/party-in-use.ts'),
  ]);
  const entries = await source.list();
  const [usage, metadata] = await host.read(async (work) => [
    await listProviderUsage(work),
    await listKnownMetadata(work),
  ]);
  const rows = entries
    .filter((entry) => isWanted(entry, options))
    .map((entry): ProviderRow => {
      const { id, provider } = entry;
      const party = provider?.strategy === 'saml' ? partyInUse(provider, metadata.get(id)) : undefined;
      return { entry, usage: usage.get(id), party };
    });
  const empty = 'No providers. Add one with: financectl providers create';
  await printList(host, options, { rows, columns: PROVIDER_COLUMNS, empty });
}

function isWanted(entry: ProviderEntry, { enabled, disabled, strategy }: ListOptions): boolean {
  if (strategy !== undefined && entry.strategy !== strategy) return false;
  return !(enabled && !entry.enabled) && !(disabled && entry.enabled);
}
