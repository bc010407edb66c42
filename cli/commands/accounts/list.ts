import type { Command } from 'commander';
import { ACCOUNT_COLUMNS } from '#cli/commands/accounts/columns.ts';
import { chooseFamily, type FamilyOption, familyOption } from '#cli/family-option.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { listOptions, printList } from '#cli/render.ts';

interface ListOptions extends FamilyOption {
  header: boolean;
}

export function list(accounts: Command, host: Host): void {
  listOptions(familyOption(accounts.command('list')))
    .alias('ls')
    .summary('show the accounts of a family')
    .description('Shows the accounts of a family, by name, whatever their status.')
    .addHelpText('after', examples(['accounts list', 'accounts list --family Smith --json']))
    .action((options: ListOptions) => runList(host, options));
}

async function runList(host: Host, options: ListOptions): Promise<void> {
  const { listAccounts } = await import('#src/ledger/list-accounts.ts');
  const rows = await host.read(async (work) =>
    listAccounts(work, { familyId: await chooseFamily(work, options) }),
  );
  const empty = 'No accounts yet. Create one with: financectl accounts create NAME --type depository';
  await printList(host, options, { rows, columns: ACCOUNT_COLUMNS, empty });
}
