import type { Command } from 'commander';
import { forEachOf } from '#cli/batch.ts';
import { chooseFamily, type FamilyOption, familyOption } from '#cli/family-option.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';

export function confirm(transfers: Command, host: Host): void {
  familyOption(transfers.command('confirm'))
    .summary('say that pairs are transfers')
    .description(
      'Makes pending pairs transfers: their kinds change, and other proposals with either transaction go.',
    )
    .argument('<id...>', 'ids of transfers, as transfers list shows them')
    .addHelpText(
      'after',
      examples(['transfers confirm 0197f1d2-5c1e-7a3b-9d0e-3f2a1b4c5d6e'], 'financectl transfers list'),
    )
    .action((ids: string[], options: FamilyOption) => runConfirm(host, ids, options));
}

async function runConfirm(host: Host, ids: string[], options: FamilyOption): Promise<void> {
  const { confirmTransfer } = await import('#src/ledger/confirm-transfer.ts');
  const confirmOne = async (id: string) => {
    await host.perform(async (work) =>
      confirmTransfer(work, { familyId: await chooseFamily(work, options), id }),
    );
    say(host.io, `Confirmed the transfer ${id}`);
    return { id, status: 'confirmed' };
  };
  await forEachOf(host, ids, confirmOne, (results) => printResult(host, results));
}
