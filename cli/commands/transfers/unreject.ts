import type { Command } from 'commander';
import { forEachOf } from '#cli/batch.ts';
import { chooseFamily, type FamilyOption, familyOption } from '#cli/family-option.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';

export function unreject(transfers: Command, host: Host): void {
  familyOption(transfers.command('unreject'))
    .summary('take rejections back')
    .description('Takes rejections back: automatic matching may propose these pairs again.')
    .argument('<id...>', 'ids of transfers, as transfers list shows them')
    .addHelpText(
      'after',
      examples(
        ['transfers unreject 0197f1d2-5c1e-7a3b-9d0e-3f2a1b4c5d6e'],
        'financectl transfers list --status rejected',
      ),
    )
    .action((ids: string[], options: FamilyOption) => runUnreject(host, ids, options));
}

async function runUnreject(host: Host, ids: string[], options: FamilyOption): Promise<void> {
  const { unrejectTransfer } = await import('#src/ledger/unreject-transfer.ts');
  const unrejectOne = async (id: string) => {
    await host.perform(async (work) =>
      unrejectTransfer(work, { familyId: await chooseFamily(work, options), id }),
    );
    say(host.io, `Took back the rejection of ${id}; financectl transfers match may propose the pair again`);
    return { id, status: null };
  };
  await forEachOf(host, ids, unrejectOne, (results) => printResult(host, results));
}
