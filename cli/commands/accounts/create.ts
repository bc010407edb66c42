import { type Command, Option } from 'commander';
import { ACCOUNT_COLUMNS } from '#cli/commands/accounts/columns.ts';
import { chooseFamily, type FamilyOption, familyOption } from '#cli/family-option.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { presentRow, printResult } from '#cli/render.ts';
import { ACCOUNT_TYPES } from '#src/ledger/account-types.ts';

interface CreateOptions extends FamilyOption {
  type: string;
  currency?: string;
  status?: string;
}

export function create(accounts: Command, host: Host): void {
  familyOption(accounts.command('create'))
    .alias('add')
    .summary('add an account')
    .description('Adds an account to a family and prints its id.')
    .argument('<name>', 'unique in the family')
    .addOption(
      new Option('--type <type>', 'what kind of account it is').choices(ACCOUNT_TYPES).makeOptionMandatory(),
    )
    .option('--currency <code>', "ISO 4217 code; default: the family's")
    .addOption(new Option('--status <status>', 'default: active').choices(['active', 'draft']))
    .addHelpText(
      'after',
      examples(
        [
          'accounts create Checking --type depository',
          'accounts create "Visa Gold" --type credit_card --currency EUR',
        ],
        'financectl import',
      ),
    )
    .action((name: string, options: CreateOptions) => runCreate(host, name, options));
}

async function runCreate(host: Host, name: string, options: CreateOptions): Promise<void> {
  const { createAccount } = await import('#src/ledger/create-account.ts');
  const { type: accountType, currency, status } = options;
  const account = await host.perform(async (work) => {
    const familyId = await chooseFamily(work, options);
    return createAccount(work, { familyId, name, accountType, currency, status });
  });
  say(host.io, `Created the account ${account.name} (${account.accountType}, ${account.currency})`);
  printResult(host, presentRow(ACCOUNT_COLUMNS, account), account.id);
}
