import type { Command } from 'commander';
import { collectGiven } from '#cli/commands/providers/collect-fields.ts';
import { fieldOptions, type SharedOptions } from '#cli/commands/providers/field-options.ts';
import { keepMetadataOf, readMetadataFile } from '#cli/commands/providers/metadata.ts';
import { aboutStored, tellWhenUnused, wayInPolicy } from '#cli/commands/providers/source.ts';
import { confirm } from '#cli/confirm.ts';
import { UsageError } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';
import { another } from '#cli/values.ts';
import type { Fields } from '#src/sso/providers/field-reader.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { ASKED_FOR, fieldsOf } from '#src/sso/providers/provider-fields.ts';
import type { UpdatedProvider } from '#src/sso/providers/update-provider.ts';
import type { ImportedMetadata } from '#src/sso/saml/metadata/import-metadata.ts';
import { METADATA_FIELDS } from '#src/sso/saml/metadata/saml-fields-from.ts';

interface UpdateOptions extends SharedOptions {
  rename?: string;
  unset?: string[];
  forceLinked?: true;
}

export function update(providers: Command, host: Host): void {
  const command = providers
    .command('update')
    .alias('edit')
    .summary('change a provider')
    .description(
      'Changes what is given and nothing else; it holds for the next request. A secret stays unless another is given. Prints what changed; secrets only by name. A new issuer or metadata URL is checked with the provider first.',
    )
    .argument('<provider>', 'name or id')
    .option('--rename <name>', 'another name, and so another callback address')
    .option('--unset <field>', 'take a field away; may be repeated', another)
    .option('--force-linked', 'even when it shuts out users who are linked');
  fieldOptions(command)
    .addHelpText(
      'after',
      examples(
        [
          'providers update okta --label "Company login"',
          'providers update okta --client-secret-file new-secret.txt',
          'providers update adfs --metadata-file new-metadata.xml',
          'providers update okta --file okta.yml --dry-run',
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
  const { reference, rename, unset = [], skipVerify, forceLinked } = request;
  const [{ previewUpdate, updateProvider }, { findProvider }] = await Promise.all([
    import('#src/sso/providers/update-provider.ts'),
    import('#src/sso/providers/find-provider.ts'),
  ]);
  const { settings } = await aboutStored(host, reference, () =>
    host.read((work) => findProvider(work, reference)),
  );
  const given = await collectGiven(host, command, settings.role_mapping);
  const { metadataFile } = request;
  const changes = {
    ...(metadataFile !== undefined && (await replaceByFile(host, metadataFile, given.entity_id))),
    ...given,
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
  const asks = !skipVerify && ASKED_FOR.some((field) => preview.changed.includes(field));
  const imported = asks ? await ask(host, preview.provider) : undefined;
  if (metadataFile !== undefined || preview.changed.includes('metadata_url')) {
    await settle(host, preview.provider);
  }
  const policy = await wayInPolicy(host);
  const updated = await host.perform(async (work) => {
    const saved = await updateProvider(work, { provider: reference, changes, policy, force: forceLinked });
    await keepMetadataOf(work, saved.provider, imported);
    return saved;
  });
  await tell(host, updated);
}

async function ask(host: Host, provider: Provider): Promise<ImportedMetadata | undefined> {
  const { verify } = await import('#cli/commands/providers/verify.ts');
  return verify(host, provider);
}

/** All that the file says, and nothing of what was there before: no URL either. */
async function replaceByFile(host: Host, path: string, entityId: unknown): Promise<Fields> {
  const nothing = Object.fromEntries(['metadata_url', ...METADATA_FIELDS].map((field) => [field, null]));
  return { ...nothing, ...(await readMetadataFile(host, path, entityId)) };
}

/** Before other metadata holds: what it does not decide, and whether it is meant. */
async function settle(host: Host, provider: Provider): Promise<void> {
  const fields = fieldsOf(provider);
  const own = METADATA_FIELDS.filter((field) => fields[field] !== undefined);
  if (fields.metadata_url !== undefined && own.length > 0) {
    say(host.io, `Note: configured, and so not taken from the metadata: ${own.join(', ')} (--unset FIELD)`);
  }
  if (host.io.isInteractive) await confirm(host, `Save ${provider.name}?`);
}

async function tell(host: Host, { before, provider, changed }: UpdatedProvider): Promise<void> {
  const [{ describeChanges }, { presentProvider, urlsOf }] = await Promise.all([
    import('#src/sso/providers/describe-changes.ts'),
    import('#cli/commands/providers/present.ts'),
  ]);
  const { appUrl } = host.config().http;
  if (changed.length === 0) say(host.io, `Nothing changed: ${provider.name} is so already`);
  else say(host.io, `Updated the provider ${provider.name}`);
  for (const line of describeChanges(before, provider, changed)) say(host.io, `  ${line}`);
  tellWhenUnused(host);
  if (changed.includes('name'))
    say(host.io, `Register with the provider: ${urlsOf(provider, appUrl).callback_url}`);
  printResult(host, { ...presentProvider(provider, appUrl), changed });
}
