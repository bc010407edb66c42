import { type Command, Option } from 'commander';
import { collectFields, collectMapping } from '#cli/commands/providers/collect-fields.ts';
import { fieldOptions, type SharedOptions, strategyOption } from '#cli/commands/providers/field-options.ts';
import { tellWhenUnused } from '#cli/commands/providers/source.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';
import { PRESETS } from '#src/sso/presets.ts';

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
      'Adds an identity provider to the database and prints the callback address to register with it. On a terminal it asks for what is missing. The issuer is checked with the provider first.',
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
        ],
        'financectl providers test, financectl providers migrate',
      ),
    )
    .action((options: CreateOptions) => runCreate(host, command, options));
}

async function runCreate(host: Host, command: Command, options: CreateOptions): Promise<void> {
  const [{ completeFields }, { requireProvider }, { createProvider }, { verifyProvider }] = await Promise.all(
    [
      import('#cli/commands/providers/complete-fields.ts'),
      import('#src/sso/provider-problems.ts'),
      import('#src/sso/create-provider.ts'),
      import('#cli/commands/providers/verify.ts'),
    ],
  );
  const { strategy, name, id, disabled, preset, skipVerify } = options;
  const given = { ...(await collectFields(host, command)), ...(await collectMapping(host, options)) };
  const chosen = Object.entries({ strategy, name, id }).filter(([, value]) => value !== undefined);
  const fields = await completeFields(host, { ...Object.fromEntries(chosen), ...given }, preset);
  if (disabled) fields.enabled = false;

  const wanted = requireProvider(fields);
  if (!skipVerify) await verifyProvider(host, wanted);
  const provider = await host.perform((work) => createProvider(work, fields));

  const { presentProvider, urlsOf } = await import('#cli/commands/providers/present.ts');
  const { appUrl } = host.config().http;
  say(host.io, `Created the provider ${provider.name} (${provider.strategy})`);
  tellWhenUnused(host);
  if (provider.strategy === 'openid_connect' && provider.clientSecret === undefined) {
    say(host.io, 'It has no client secret: the provider must allow public clients.');
  }
  const note = preset === undefined ? undefined : PRESETS[preset]?.note;
  if (note) say(host.io, note);
  say(
    host.io,
    `Next: register the callback below with the provider, then financectl providers test ${provider.name}`,
  );
  printResult(host, presentProvider(provider, appUrl), urlsOf(provider, appUrl).callback_url);
}
