import { type Command, Option } from 'commander';
import { ACCOUNT_COLUMNS } from '#cli/commands/accounts/columns.ts';
import { confirm } from '#cli/confirm.ts';
import { UsageError } from '#cli/errors.ts';
import { chooseFamily, type FamilyOption, familyOption } from '#cli/family-option.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { presentRow, printResult } from '#cli/render.ts';
import { ACCOUNT_TYPES } from '#src/ledger/account-types.ts';

const STATUSES = ['active', 'disabled', 'pending_deletion'] as const;

interface UpdateOptions extends FamilyOption {
  name?: string;
  type?: string;
  status?: (typeof STATUSES)[number];
}

export function update(accounts: Command, host: Host): void {
  familyOption(accounts.command('update'))
    .summary('rename it, change its type or status')
    .description('Changes an account. Marking one for deletion cannot be taken back and asks first.')
    .argument('<account>', 'name or id')
    .option('--name <name>', 'unique in the family')
    .addOption(new Option('--type <type>', 'what kind of account it is').choices(ACCOUNT_TYPES))
    .addOption(new Option('--status <status>', 'active, disabled, or marked for deletion').choices(STATUSES))
    .addHelpText(
      'after',
      examples([
        'accounts update Checking --name "Joint checking"',
        'accounts update Visa --status disabled',
      ]),
    )
    .action((account: string, options: UpdateOptions) => runUpdate(host, account, options));
}

async function runUpdate(host: Host, reference: string, options: UpdateOptions): Promise<void> {
  const { name, type: accountType, status } = options;
  if (name === undefined && accountType === undefined && status === undefined) {
    throw new UsageError('nothing to change', 'Give --name, --type or --status.');
  }
  if (status === 'pending_deletion') await confirm(host, `Mark ${reference} for deletion?`);
  const { updateAccount } = await import('#src/ledger/update-account.ts');
  const account = await host.perform(async (work) => {
    const familyId = await chooseFamily(work, options);
    return updateAccount(work, { familyId, account: reference, name, accountType, status });
  });
  say(host.io, `Updated the account ${account.name} (${account.accountType}, ${account.status})`);
  printResult(host, presentRow(ACCOUNT_COLUMNS, account));
}
