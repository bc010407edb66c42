import { type Command, Option } from 'commander';
import { openSource } from '#cli/commands/providers/source.ts';
import { CliError } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { print, say } from '#cli/io.ts';
import { printJson } from '#cli/render.ts';
import { lines } from '#src/kernel/safe-text.ts';

export function exportProviders(providers: Command, host: Host): void {
  providers
    .command('export')
    .summary('write the providers as a YAML file')
    .description(
      'Writes the providers in the shape of config/auth.yml. Secrets are not in it, but references to variables, named on stderr. Migrating it again changes nothing.',
    )
    .addOption(new Option('--format <format>', 'default yaml').choices(['yaml', 'json']))
    .addOption(
      new Option('--source <source>', 'export these, whatever the settings say').choices(['db', 'yaml']),
    )
    .addHelpText(
      'after',
      examples(
        ['providers export -o auth.yml', 'providers export --format json'],
        'financectl providers migrate',
      ),
    )
    .action((options: { source?: string }) => runExport(host, options));
}

async function runExport(host: Host, { source }: { source?: string }): Promise<void> {
  const operations = await import('#src/sso/providers/file/export-providers.ts');
  const entries = await (await openSource(host, source ?? 'db')).list();
  const broken = entries.filter(({ provider }) => provider === undefined);
  if (broken.length > 0) {
    const errors = broken.map(({ name, problem = '' }) => `${name}: ${problem}`);
    throw new CliError(
      'validation_failed',
      5,
      errors.join('; '),
      'Only what can work can be exported.',
      errors,
    );
  }
  const exported = operations.exportProviders(entries.flatMap(({ provider }) => provider ?? []));
  if (host.flags.json || host.flags.format === 'json') printJson(host, exported);
  else print(host.io, lines(operations.exportYaml(exported).trimEnd()));
  if (exported.variables.length > 0) say(host.io, `It refers to: ${exported.variables.join(', ')}`);
}
