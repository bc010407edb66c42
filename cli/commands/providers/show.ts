import type { Command } from 'commander';
import type { PresentedParty } from '#cli/commands/providers/present-party.ts';
import { openSource } from '#cli/commands/providers/source.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { printFields } from '#cli/render.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';

export function show(providers: Command, host: Host): void {
  providers
    .command('show')
    .summary('show one provider with its role mapping and addresses')
    .description(
      'Shows every field of a provider, and for SAML what is in use of it with its metadata as it was read last. Of secrets it is only said whether they are set.',
    )
    .argument('<provider>', 'name or id')
    .addHelpText(
      'after',
      examples(['providers show okta', 'providers show okta --json'], 'financectl providers urls'),
    )
    .action((reference: string) => runShow(host, reference));
}

async function runShow(host: Host, reference: string): Promise<void> {
  const [{ findEntry }, { presentProvider, providerLines }] = await Promise.all([
    import('#src/sso/providers/find-entry.ts'),
    import('#cli/commands/providers/present.ts'),
  ]);
  const { provider, problem, origin, ...entry } = await findEntry(await openSource(host), reference);
  const state = { source: origin, problem: problem ?? null };
  if (!provider) {
    printFields(host, [...Object.entries(entry), ['source', origin], ['problem', problem]], {
      ...entry,
      ...state,
    });
    return;
  }
  const { appUrl } = host.config().http;
  const party = provider.strategy === 'saml' ? await partyOf(host, provider) : undefined;
  const lines = [...providerLines(provider, appUrl), ...(party?.lines ?? [])];
  printFields(host, [...lines, ['source', origin]], {
    ...presentProvider(provider, appUrl),
    ...(party && { in_use: party.json }),
    ...state,
  });
}

async function partyOf(host: Host, provider: SamlProvider): Promise<PresentedParty> {
  const [{ presentParty }, { lookUpKnownMetadata }] = await Promise.all([
    import('#cli/commands/providers/present-party.ts'),
    import('#src/sso/saml/metadata/known-metadata.ts'),
  ]);
  const known = await host.read((work) => lookUpKnownMetadata(work, provider.id));
  return presentParty(provider, known, new Date());
}
