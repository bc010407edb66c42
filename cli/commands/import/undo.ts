import type { Command } from 'commander';
import { forEachOf } from '#cli/batch.ts';
import { confirm } from '#cli/confirm.ts';
import { chooseFamily, type FamilyOption, familyOption } from '#cli/family-option.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';

export function undo(imports: Command, host: Host): void {
  familyOption(imports.command('undo'))
    .summary('take imports out again')
    .description(
      'Takes out every transaction that came in with an import, and the transfers it was part of. Asks first.',
    )
    .argument('<id...>', 'ids of imports, as import list shows them')
    .addHelpText(
      'after',
      examples(['import undo 0197f1d2-5c1e-7a3b-9d0e-3f2a1b4c5d6e --yes'], 'financectl import list'),
    )
    // `import` itself has --family too, and takes it from here.
    .action((ids: string[], _, command: Command) =>
      runUndo(host, ids, command.optsWithGlobals<FamilyOption>()),
    );
}

async function runUndo(host: Host, ids: string[], options: FamilyOption): Promise<void> {
  await confirm(host, ids.length === 1 ? `Undo the import ${ids[0]}?` : `Undo ${ids.length} imports?`);
  const { undoImport } = await import('#src/imports/undo-import.ts');
  const undoOne = async (id: string) => {
    const { entries, transfers } = await host.perform(async (work) =>
      undoImport(work, { familyId: await chooseFamily(work, options), id }),
    );
    say(host.io, `Undid the import ${id}: ${entries} transactions and ${transfers} transfers removed`);
    return { id, transactions: entries, transfers };
  };
  await forEachOf(host, ids, undoOne, (results) => printResult(host, results));
}
