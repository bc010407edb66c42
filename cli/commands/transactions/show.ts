import type { Command } from 'commander';
import { chooseFamily, type FamilyOption, familyOption } from '#cli/family-option.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { printFields } from '#cli/render.ts';

export function show(transactions: Command, host: Host): void {
  familyOption(transactions.command('show'))
    .summary('show everything about one')
    .description('Shows one transaction. With --json exactly as GET /api/v1/transactions/ID answers.')
    .argument('<id>', 'id of the transaction')
    .addHelpText(
      'after',
      examples(['transactions show 0197f1d2-5c1e-7a3b-9d0e-3f2a1b4c5d6e'], 'financectl transactions list'),
    )
    .action((id: string, options: FamilyOption) => runShow(host, id, options));
}

async function runShow(host: Host, id: string, options: FamilyOption): Promise<void> {
  const [{ familyReader }, { findTransaction }, { presentTransaction }] = await Promise.all([
    import('#src/auth/readers.ts'),
    import('#src/ledger/find-transaction.ts'),
    import('#src/ledger/present-transaction.ts'),
  ]);
  const familyId = await host.read((work) => chooseFamily(work, options));
  const view = await findTransaction(familyReader(await host.runtime(), familyId), id);

  const shown = presentTransaction(view);
  const { transfer } = shown;
  printFields(
    host,
    [
      ['id', shown.id],
      ['date', shown.date],
      ['amount', `${shown.amount} (${shown.classification})`],
      ['name', shown.name],
      ['account', shown.account.name],
      ['category', shown.category?.name],
      ['merchant', shown.merchant?.name],
      ['tags', shown.tags.map(({ name }) => name).join(', ') || undefined],
      ['notes', shown.notes ?? undefined],
      ['kind', view.kind],
      [
        'transfer',
        transfer ? `${transfer.amount} with ${transfer.other_account.name} (${transfer.id})` : undefined,
      ],
      ['source', shown.source],
      ['external id', shown.external_id ?? undefined],
      ['created', shown.created_at],
      ['updated', shown.updated_at],
    ],
    shown,
  );
}
