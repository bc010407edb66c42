import type { Command } from 'commander';
import { forEachOf } from '#cli/batch.ts';
import { chooseFamily, type FamilyOption, familyOption } from '#cli/family-option.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';

export function reject(transfers: Command, host: Host): void {
  familyOption(transfers.command('reject'))
    .summary('say that pairs are no transfers')
    .description(
      'Rejects pending or confirmed pairs: kinds become what they were, and automatic matching leaves these pairs alone from now on.',
    )
    .argument('<id...>', 'ids of transfers, as transfers list shows them')
    .addHelpText(
      'after',
      examples(
        ['transfers reject 0197f1d2-5c1e-7a3b-9d0e-3f2a1b4c5d6e'],
        'financectl transfers unreject, financectl transfers list --status rejected',
      ),
    )
    .action((ids: string[], options: FamilyOption) => runReject(host, ids, options));
}

async function runReject(host: Host, ids: string[], options: FamilyOption): Promise<void> {
  const { rejectTransfer } = await import('#src/ledger/reject-transfer.ts');
  const rejectOne = async (id: string) => {
    await host.perform(async (work) =>
      rejectTransfer(work, { familyId: await chooseFamily(work, options), id }),
    );
    say(host.io, `Rejected the pair ${id}; it will not be proposed again`);
    return { id, status: 'rejected' };
  };
  await forEachOf(host, ids, rejectOne, (results) => printResult(host, results));
}
