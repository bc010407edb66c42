import type { Command } from 'commander';
import { presentTransfer, transferColumns } from '#cli/commands/transfers/columns.ts';
import { UsageError } from '#cli/errors.ts';
import { chooseFamily, type FamilyOption, familyOption } from '#cli/family-option.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printList, printResult } from '#cli/render.ts';
import { days } from '#cli/values.ts';

export function match(transfers: Command, host: Host): void {
  familyOption(transfers.command('match'))
    .summary('propose transfers, or pair two transactions by hand')
    .description(
      'Without arguments: proposes pairs of opposite amounts, nearest days first, and shows all that wait for a decision. Rejected pairs are never proposed again. With two transactions: makes them a confirmed transfer, up to 30 days apart.',
    )
    .option('--window <span>', 'without arguments: days between the two sides, 1d to 30d; default 4d', days)
    .argument('[transactions...]', 'none, or the ids of two transactions')
    .addHelpText(
      'after',
      examples(
        [
          'transfers match',
          'transfers match --window 7d --dry-run',
          'transfers match 0197f1d2-5c1e-7a3b-9d0e-3f2a1b4c5d6e 0197f1d2-61aa-7c44-8f10-aa1b2c3d4e5f',
        ],
        'financectl transfers confirm, financectl transfers reject',
      ),
    )
    .action((transactions: string[], options: MatchOptions) => runMatch(host, transactions, options));
}

interface MatchOptions extends FamilyOption {
  window?: number;
}

async function runMatch(host: Host, transactions: string[], options: MatchOptions): Promise<void> {
  const [first, second, ...rest] = transactions;
  if (first === undefined) return proposeTransfers(host, options);
  if (options.window !== undefined) throw new UsageError('--window goes without transactions');
  if (second === undefined || rest.length > 0) {
    throw new UsageError(`a transfer has two transactions, not ${transactions.length}`);
  }
  await pairByHand(host, [first, second], options);
}

async function proposeTransfers(host: Host, options: MatchOptions): Promise<void> {
  const [{ matchTransfers }, { formatMoney }] = await Promise.all([
    import('#src/ledger/match-transfers.ts'),
    import('#src/ledger/money.ts'),
  ]);
  const { enabled, proposed, superseded, pending } = await host.perform(async (work) =>
    matchTransfers(work, { familyId: await chooseFamily(work, options), windowDays: options.window }),
  );
  if (!enabled) say(host.io, 'Automatic matching is turned off for this family; nothing was looked for');
  else say(host.io, `Proposed ${proposed} new, superseded ${superseded}, ${pending.length} pending`);

  if (host.flags.json) {
    return printResult(host, { enabled, proposed, superseded, pending: pending.map(presentTransfer) });
  }
  const empty = 'Nothing waits for a decision';
  await printList(host, { header: true }, { rows: pending, columns: transferColumns(formatMoney), empty });
  if (pending.length > 0)
    say(host.io, 'Next: financectl transfers confirm ID…, financectl transfers reject ID…');
}

async function pairByHand(
  host: Host,
  transactionIds: [string, string],
  options: FamilyOption,
): Promise<void> {
  const { pairTransfer } = await import('#src/ledger/pair-transfer.ts');
  const transfer = await host.perform(async (work) =>
    pairTransfer(work, { familyId: await chooseFamily(work, options), transactionIds }),
  );
  say(host.io, 'Confirmed the two transactions as a transfer');
  const { id, status, inflowTransactionId, outflowTransactionId } = transfer;
  printResult(
    host,
    { id, status, inflow_transaction_id: inflowTransactionId, outflow_transaction_id: outflowTransactionId },
    id,
  );
}
