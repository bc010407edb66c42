import { type Command, Option } from 'commander';
import { FAMILY_COLUMNS } from '#cli/commands/families/columns.ts';
import { UsageError } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { presentRow, printResult } from '#cli/render.ts';

interface UpdateOptions {
  name?: string;
  currency?: string;
  transferMatching?: 'on' | 'off';
}

export function update(families: Command, host: Host): void {
  families
    .command('update')
    .summary('rename it, change its currency, turn matching on or off')
    .description('Changes a household. What exists already keeps its currency.')
    .argument('[family]', 'name or id; not needed while there is only one')
    .option('--name <name>', 'what people call it')
    .option('--currency <code>', 'ISO 4217 code for accounts still to come')
    .addOption(
      new Option('--transfer-matching <state>', 'automatic matching of transfers').choices(['on', 'off']),
    )
    .addHelpText(
      'after',
      examples(['families update Smith --transfer-matching off'], 'financectl transfers match'),
    )
    .action((family: string | undefined, options: UpdateOptions) => runUpdate(host, family, options));
}

async function runUpdate(host: Host, reference: string | undefined, options: UpdateOptions): Promise<void> {
  const { name, currency, transferMatching } = options;
  if (name === undefined && currency === undefined && transferMatching === undefined) {
    throw new UsageError('nothing to change', 'Give --name, --currency or --transfer-matching.');
  }
  const { updateFamily } = await import('#src/ledger/update-family.ts');
  const matching = transferMatching === undefined ? undefined : transferMatching === 'on';
  const family = await host.perform((work) =>
    updateFamily(work, { family: reference, name, currency, transferMatching: matching }),
  );
  say(host.io, `Updated the family ${family.name}`);
  printResult(host, presentRow(FAMILY_COLUMNS, family));
}
