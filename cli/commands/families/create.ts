import type { Command } from 'commander';
import { FAMILY_COLUMNS } from '#cli/commands/families/columns.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { presentRow, printResult } from '#cli/render.ts';

interface CreateOptions {
  currency: string;
}

export function create(families: Command, host: Host): void {
  families
    .command('create')
    .alias('add')
    .summary('add a household')
    .description('Adds a household and prints its id.')
    .argument('<name>', 'what people call it')
    .requiredOption('--currency <code>', 'ISO 4217 code; accounts get it when none is named for them')
    .addHelpText(
      'after',
      examples(
        ['families create Smith --currency USD'],
        'financectl accounts create, financectl users create',
      ),
    )
    .action((name: string, options: CreateOptions) => runCreate(host, name, options));
}

async function runCreate(host: Host, name: string, { currency }: CreateOptions): Promise<void> {
  const { createFamily } = await import('#src/ledger/create-family.ts');
  const family = await host.perform((work) => createFamily(work, { name, currency }));
  say(host.io, `Created the family ${family.name} (${family.currency})`);
  printResult(host, presentRow(FAMILY_COLUMNS, family), family.id);
}
