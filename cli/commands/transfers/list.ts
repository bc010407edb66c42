import { type Command, Option } from 'commander';
import { presentTransfer, transferColumns } from '#cli/commands/transfers/columns.ts';
import { chooseFamily, type FamilyOption, familyOption } from '#cli/family-option.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { listOptions, printList } from '#cli/render.ts';

const STATUSES = ['pending', 'confirmed', 'rejected'] as const;

interface ListOptions extends FamilyOption {
  header: boolean;
  status?: (typeof STATUSES)[number];
}

export function list(transfers: Command, host: Host): void {
  listOptions(familyOption(transfers.command('list')))
    .alias('ls')
    .summary('show transfers, newest first')
    .description('Shows pending and confirmed transfers, or those of one status, newest first.')
    .addOption(
      new Option('--status <status>', 'only these; rejected pairs are shown when asked for').choices(
        STATUSES,
      ),
    )
    .addOption(new Option('--rejected', 'the same as --status rejected').implies({ status: 'rejected' }))
    .addHelpText(
      'after',
      examples(['transfers list', 'transfers list --rejected --json'], 'financectl transfers match'),
    )
    .action((options: ListOptions) => runList(host, options));
}

async function runList(host: Host, options: ListOptions): Promise<void> {
  const [{ listTransfers }, { formatMoney }] = await Promise.all([
    import('#src/ledger/list-transfers.ts'),
    import('#src/ledger/money.ts'),
  ]);
  const rows = await host.read(async (work) =>
    listTransfers(work, { familyId: await chooseFamily(work, options), status: options.status }),
  );
  await printList(host, options, {
    rows,
    columns: transferColumns(formatMoney),
    present: presentTransfer,
    empty: `No ${options.status ?? ''} transfers. Look for some with: financectl transfers match`.replace(
      '  ',
      ' ',
    ),
  });
}
