import type { Command } from 'commander';
import { chooseFamily, type FamilyOption, familyOption } from '#cli/family-option.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { type Column, listOptions, printList } from '#cli/render.ts';
import { count, day } from '#cli/values.ts';
import type { Page } from '#src/kernel/page.ts';
import { totalPages } from '#src/kernel/page.ts';
import type { TransactionView } from '#src/ledger/views.ts';

interface ListOptions extends FamilyOption {
  header: boolean;
  account?: string;
  startDate?: string;
  endDate?: string;
  search?: string;
  page: number;
  limit: number;
  all?: true;
}

export function list(transactions: Command, host: Host): void {
  listOptions(familyOption(transactions.command('list')))
    .alias('ls')
    .summary('show transactions, latest first')
    .description('Shows transactions, latest date first. Money that leaves an account is positive.')
    .option('--account <account>', 'only this account (name or id)')
    .option('--start-date <date>', 'from this day on', day)
    .option('--end-date <date>', 'up to this day, inclusive', day)
    .option('--search <text>', 'somewhere in the name or the notes, in either case')
    .option('--page <number>', 'which page, from 1', count, 1)
    .option('--limit <number>', 'how many on a page', count, 50)
    .option('--all', 'every page')
    .addHelpText(
      'after',
      examples(
        [
          'transactions list --account Checking --search coffee',
          'transactions list --all --format csv -o ledger.csv',
        ],
        'financectl transactions show',
      ),
    )
    .action((options: ListOptions) => runList(host, options));
}

async function runList(host: Host, options: ListOptions): Promise<void> {
  const { formatMoney } = await import('#src/ledger/money.ts');
  const { presentTransaction } = await import('#src/ledger/present-transaction.ts');
  const page = await readPages(host, options);
  await printList(host, options, {
    rows: page.items,
    columns: columns(formatMoney),
    present: presentTransaction,
    empty: page.totalCount > 0 ? `Nothing on page ${page.page}` : 'No transactions match',
  });
  const shown = page.items.length;
  if (shown < page.totalCount) {
    say(
      host.io,
      `${shown} of ${page.totalCount}, page ${page.page} of ${totalPages(page)}; --page and --all show more`,
    );
  }
}

const ALL_PAGE_SIZE = 1_000;

async function readPages(host: Host, options: ListOptions): Promise<Page<TransactionView>> {
  const [{ findAccount }, { listTransactions }, { familyReader }] = await Promise.all([
    import('#src/ledger/find-account.ts'),
    import('#src/ledger/list-transactions.ts'),
    import('#src/auth/readers.ts'),
  ]);
  const { account, startDate, endDate, search, all } = options;
  const { familyId, accountId } = await host.read(async (work) => {
    const familyId = await chooseFamily(work, options);
    return { familyId, accountId: account && (await findAccount(work, { familyId, account })).id };
  });
  const reader = familyReader(await host.runtime(), familyId);
  const read = (page: number, perPage: number) =>
    listTransactions(reader, { accountId, startDate, endDate, search }, { page, perPage });

  if (!all) return read(options.page, options.limit);
  const items: TransactionView[] = [];
  for (let page = 1; ; page += 1) {
    const next = await read(page, ALL_PAGE_SIZE);
    items.push(...next.items);
    if (next.items.length < ALL_PAGE_SIZE) return { ...next, items, totalCount: items.length, page: 1 };
  }
}

function columns(formatMoney: (cents: number, currency: string) => string): Column<TransactionView>[] {
  return [
    { key: 'date', value: ({ date }) => date },
    {
      key: 'amount',
      value: ({ amountCents, currency }) => formatMoney(amountCents, currency),
      align: 'right',
    },
    { key: 'amount_cents', value: ({ amountCents }) => Math.abs(amountCents), detail: true },
    // Subtraction, because negating zero would make it negative.
    { key: 'signed_amount_cents', value: ({ amountCents }) => 0 - amountCents, detail: true },
    { key: 'currency', value: ({ currency }) => currency, detail: true },
    { key: 'name', value: ({ name }) => name },
    { key: 'account', value: ({ account }) => account.name },
    { key: 'category', value: ({ category }) => category?.name },
    { key: 'merchant', value: ({ merchant }) => merchant?.name, detail: true },
    { key: 'tags', value: ({ tags }) => tags.map(({ name }) => name).join(', '), detail: true },
    { key: 'notes', value: ({ notes }) => notes, detail: true },
    { key: 'external_id', value: ({ externalId }) => externalId, detail: true },
    { key: 'source', value: ({ source }) => source, detail: true },
    { key: 'transfer_id', value: ({ transfer }) => transfer?.id, detail: true },
    { key: 'id', value: ({ id }) => id, whole: true },
    {
      key: 'classification',
      value: ({ amountCents }) => (amountCents < 0 ? 'income' : 'expense'),
      detail: true,
    },
    { key: 'created_at', value: ({ createdAt }) => createdAt, detail: true },
    { key: 'updated_at', value: ({ updatedAt }) => updatedAt, detail: true },
  ];
}
