import type { Command } from 'commander';
import { FAMILY_COLUMNS } from '#cli/commands/families/columns.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { listOptions, printList } from '#cli/render.ts';

export function list(families: Command, host: Host): void {
  listOptions(families.command('list'))
    .alias('ls')
    .summary('show every household')
    .description('Shows every household, by name.')
    .addHelpText('after', examples(['families list', 'families list --json'], 'financectl accounts list'))
    .action((options: { header: boolean }) => runList(host, options));
}

async function runList(host: Host, options: { header: boolean }): Promise<void> {
  const { listFamilies } = await import('#src/ledger/list-families.ts');
  const rows = await host.read((work) => listFamilies(work));
  const empty = 'No families yet. Create one with: financectl families create NAME --currency USD';
  await printList(host, options, { rows, columns: FAMILY_COLUMNS, empty });
}
