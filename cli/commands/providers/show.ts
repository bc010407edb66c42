import type { Command } from 'commander';
import type { PresentedParty } from '#cli/commands/providers/present-party.ts';
import { openSource } from '#cli/commands/providers/source.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { print } from '#cli/io.ts';
import { printFields, printJson } from '#cli/render.ts';
import { AppError } from '#src/kernel/errors.ts';
import { lines } from '#src/kernel/safe-text.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';

export function show(providers: Command, host: Host): void {
  providers
    .command('show')
    .summary('show one provider with its role mapping and addresses')
    .description(
      'Shows every field of a provider, and for SAML what is in use of it with its metadata as it was read last. Of secrets it is only said whether they are set.',
    )
    .argument('<provider>', 'name or id')
    .option('--metadata', 'SAML: our own metadata for it, as XML, and nothing else')
    .addHelpText(
      'after',
      examples(
        ['providers show okta', 'providers show okta --json', 'providers show okta --metadata -o ours.xml'],
        'financectl providers urls',
      ),
    )
    .action((reference: string, { metadata }: { metadata?: true }) =>
      metadata ? showMetadata(host, reference) : runShow(host, reference),
    );
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

/** What the identity provider gets to read at our metadata address. */
async function showMetadata(host: Host, reference: string): Promise<void> {
  const [{ findEntry }, { buildSpMetadata }, { lookUpKnownMetadata }, { partyInUse }] = await Promise.all([
    import('#src/sso/providers/find-entry.ts'),
    import('#src/sso/saml/metadata/build-sp-metadata.ts'),
    import('#src/sso/saml/metadata/known-metadata.ts'),
    import('#src/sso/saml/party-in-use.ts'),
  ]);
  const { provider, name, strategy, problem } = await findEntry(await openSource(host), reference);
  if (strategy !== 'saml')
    throw new AppError('conflict', `${name} uses ${strategy}, which has no metadata of ours`);
  if (provider?.strategy !== 'saml') throw new AppError('conflict', `${name} cannot work: ${problem}`);
  const known = await host.read((work) => lookUpKnownMetadata(work, provider.id));
  const { appUrl } = host.config().http;
  const { nameIdFormat } = partyInUse(provider, known);
  const xml = buildSpMetadata(provider, { appUrl, nameIdFormat });
  if (host.flags.json) printJson(host, { metadata: xml });
  else print(host.io, lines(xml.trimEnd()));
}

async function partyOf(host: Host, provider: SamlProvider): Promise<PresentedParty> {
  const [{ presentParty }, { lookUpKnownMetadata }] = await Promise.all([
    import('#cli/commands/providers/present-party.ts'),
    import('#src/sso/saml/metadata/known-metadata.ts'),
  ]);
  const known = await host.read((work) => lookUpKnownMetadata(work, provider.id));
  return presentParty(provider, known, new Date());
}
