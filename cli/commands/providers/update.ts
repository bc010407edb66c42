import type { Command } from 'commander';
import { collectFields, collectMapping } from '#cli/commands/providers/collect-fields.ts';
import { fieldOptions, type SharedOptions } from '#cli/commands/providers/field-options.ts';
import { loginPolicy, tellWhenUnused } from '#cli/commands/providers/source.ts';
import { UsageError } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';
import { another } from '#cli/values.ts';
import type { UpdatedProvider } from '#src/sso/update-provider.ts';

interface UpdateOptions extends SharedOptions {
  rename?: string;
  unset?: string[];
}

export function update(providers: Command, host: Host): void {
  const command = providers
    .command('update')
    .alias('edit')
    .summary('change a provider')
    .description(
      'Changes what is given and nothing else; it holds for the next request. A secret stays unless another is given. Prints what changed; secrets only by name. A new issuer is checked with the provider first.',
    )
    .argument('<provider>', 'name or id')
    .option('--rename <name>', 'another name, and so another callback address')
    .option('--unset <field>', 'take a field away; may be repeated', another);
  fieldOptions(command)
    .addHelpText(
      'after',
      examples(
        [
          'providers update okta --label "Company login"',
          'providers update okta --client-secret-file new-secret.txt',
          'providers update okta --map Finance-Admins=admin --map Everyone=member',
        ],
        'financectl providers enable, financectl providers disable',
      ),
    )
    .action((reference: string, options: UpdateOptions) =>
      runUpdate(host, command, { reference, ...options }),
    );
}

interface Request extends UpdateOptions {
  reference: string;
}

async function runUpdate(host: Host, command: Command, request: Request): Promise<void> {
  const { reference, rename, unset = [], skipVerify } = request;
  const [{ previewUpdate, updateProvider }, { fieldsOf }] = await Promise.all([
    import('#src/sso/update-provider.ts'),
    import('#src/sso/provider-fields.ts'),
  ]);
  const given = await collectFields(host, command);
  const present = await host.read((work) => previewUpdate(work, { provider: reference, changes: {} }));
  const mapping = await collectMapping(host, request, fieldsOf(present.before).role_mapping);
  const changes = {
    ...given,
    ...mapping,
    ...(rename !== undefined && { name: rename }),
    ...Object.fromEntries(unset.map((field) => [field.replaceAll('-', '_'), null])),
  };
  if (Object.keys(changes).length === 0) {
    throw new UsageError(
      'nothing to change',
      "'financectl providers update --help' lists what can be changed.",
    );
  }
  const preview = await host.read((work) => previewUpdate(work, { provider: reference, changes }));
  if (!skipVerify && preview.changed.includes('issuer')) {
    const { verifyProvider } = await import('#cli/commands/providers/verify.ts');
    await verifyProvider(host, preview.provider);
  }
  const updated = await host.perform((work) =>
    updateProvider(work, { provider: reference, changes, policy: loginPolicy(host) }),
  );
  await tell(host, updated);
}

async function tell(host: Host, { before, provider, changed }: UpdatedProvider): Promise<void> {
  const [{ describeChanges }, { presentProvider, urlsOf }] = await Promise.all([
    import('#src/sso/describe-changes.ts'),
    import('#cli/commands/providers/present.ts'),
  ]);
  const { appUrl } = host.config().http;
  if (changed.length === 0) say(host.io, `Nothing changed: ${provider.name} is so already`);
  else say(host.io, `Updated the provider ${provider.name}`);
  for (const line of describeChanges(before, provider)) say(host.io, `  ${line}`);
  tellWhenUnused(host);
  if (changed.includes('name'))
    say(host.io, `Register with the provider: ${urlsOf(provider, appUrl).callback_url}`);
  printResult(host, { ...presentProvider(provider, appUrl), changed });
}
