import { type Command, Option } from 'commander';
import { collectGiven } from '#cli/commands/providers/collect-fields.ts';
import { fieldOptions, type SharedOptions, strategyOption } from '#cli/commands/providers/field-options.ts';
import { keepMetadataOf, readMetadataFile } from '#cli/commands/providers/metadata.ts';
import { tellWhenUnused } from '#cli/commands/providers/source.ts';
import { confirm } from '#cli/confirm.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';
import type { Fields } from '#src/sso/providers/field-reader.ts';
import { PRESETS } from '#src/sso/providers/presets.ts';

interface CreateOptions extends SharedOptions {
  preset?: string;
  strategy?: string;
  name?: string;
  id?: string;
  disabled?: true;
}

export function create(providers: Command, host: Host): void {
  const command = providers
    .command('create')
    .alias('add')
    .summary('add a provider, asking for what is missing')
    .description(
      'Adds an identity provider to the database and prints the callback address to register with it. On a terminal it asks for what is missing. Issuer or metadata are checked with the provider first, and what the metadata says is shown.',
    )
    .addOption(
      new Option('--preset <name>', 'fill in what is the same for everybody').choices(Object.keys(PRESETS)),
    )
    .addOption(strategyOption())
    .option('--name <name>', 'part of the callback address')
    .option('--id <id>', 'never changes, unlike the name; default: the name');
  fieldOptions(command)
    .option('--disabled', 'do not show it on the login page yet')
    .addHelpText(
      'after',
      examples(
        [
          'providers create',
          'providers create --preset google --client-id ID --client-secret-file secret.txt',
          'providers create --strategy openid_connect --name okta --issuer https://example.okta.com --client-id ID --client-secret-stdin < secret.txt',
          'providers create --strategy saml --name okta --metadata-url https://example.okta.com/app/APP-ID/sso/saml/metadata',
          'providers create --file okta.yml --disabled',
        ],
        'financectl providers test, financectl providers keygen, financectl providers migrate',
      ),
    )
    .action((options: CreateOptions) => runCreate(host, command, options));
}

async function runCreate(host: Host, command: Command, options: CreateOptions): Promise<void> {
  const [{ completeFields }, { requireProvider }, { createProvider }, { verify }] = await Promise.all([
    import('#cli/commands/providers/complete-fields.ts'),
    import('#src/sso/providers/provider-problems.ts'),
    import('#src/sso/providers/create-provider.ts'),
    import('#cli/commands/providers/verify.ts'),
  ]);
  const { disabled, preset, skipVerify } = options;
  const given = await collectGiven(host, command);
  const start = await startOf(host, options, given);
  const fields = await completeFields(host, { ...start, ...given, ...chosenOf(options) }, preset);
  if (disabled) fields.enabled = false;

  const wanted = requireProvider(fields);
  const imported = skipVerify ? undefined : await verify(host, wanted);
  if (wanted.strategy === 'saml' && host.io.isInteractive) await confirm(host, `Save ${wanted.name}?`);
  const provider = await host.perform(async (work) => {
    const created = await createProvider(work, { ...imported?.fields, ...fields });
    await keepMetadataOf(work, created, imported);
    return created;
  });

  const { presentProvider, urlsOf } = await import('#cli/commands/providers/present.ts');
  const { appUrl } = host.config().http;
  const urls = urlsOf(provider, appUrl);
  say(host.io, `Created the provider ${provider.name} (${provider.strategy})`);
  tellWhenUnused(host);
  if (provider.strategy === 'openid_connect' && provider.clientSecret === undefined) {
    say(host.io, 'It has no client secret: the provider must allow public clients.');
  }
  const note = preset === undefined ? undefined : PRESETS[preset]?.note;
  if (note) say(host.io, note);
  const ours =
    urls.metadata_url === undefined
      ? 'register the callback below with the provider'
      : `give the provider our metadata, ${urls.metadata_url}, or the callback below`;
  say(host.io, `Next: ${ours}; then financectl providers test ${provider.name}`);
  if (urls.backchannel_logout_url !== undefined) {
    say(
      host.io,
      `For sign-outs, register too: back-channel logout ${urls.backchannel_logout_url}, post-logout redirect ${urls.post_logout_redirect_url}`,
    );
  }
  printResult(host, presentProvider(provider, appUrl), urls.callback_url);
}

function chosenOf({ strategy, name, id }: CreateOptions): Fields {
  return Object.fromEntries(
    Object.entries({ strategy, name, id }).filter(([, value]) => value !== undefined),
  );
}

/** What kind it has, and what metadata in a file says. */
async function startOf(host: Host, options: CreateOptions, given: Fields): Promise<Fields> {
  const { preset, metadataFile } = options;
  const speaksSaml = metadataFile !== undefined || given.metadata_url !== undefined;
  const read = metadataFile === undefined ? {} : await readMetadataFile(host, metadataFile, given.entity_id);
  return { ...read, ...(preset === undefined && speaksSaml && { strategy: 'saml' }) };
}
