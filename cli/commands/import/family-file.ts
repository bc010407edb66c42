import type { FamilyFileReport } from '#cli/commands/import/family-report.ts';
import type { StatementOptions } from '#cli/commands/import/statement.ts';
import { UsageError } from '#cli/errors.ts';
import { chooseFamily } from '#cli/family-option.ts';
import type { Host } from '#cli/host.ts';
import { startProgress } from '#cli/progress.ts';

interface OneFile {
  /** As it was written on the command line. */
  file: string;
  /** Where it is. */
  path: string;
  options: StatementOptions;
}

/** Whether it is a family's data: because --format says so, or by its content when nothing says what it is. */
export async function holdsFamilyData({ flags }: Host, { file, path }: OneFile): Promise<boolean> {
  const { format = 'auto' } = flags;
  if (format !== 'auto' && format !== 'sure') return false;
  const { isFamilyData } = await import('#src/family-data/is-family-data.ts');
  return isFamilyData(path, labelOf(file), format === 'sure');
}

export async function importFamilyFile(
  host: Host,
  { file, path, options }: OneFile,
): Promise<FamilyFileReport> {
  const { newFamily, match } = options;
  refuseOthers(options, labelOf(file));
  const [{ importFamily }, { matchTransfers }] = await Promise.all([
    import('#src/family-data/import-family.ts'),
    import('#src/ledger/match-transfers.ts'),
  ]);
  const progress = startProgress(host);
  try {
    return await host.perform(async (work) => {
      const report = await importFamily(work, {
        into: newFamily === undefined ? { familyId: await chooseFamily(work, options) } : { newFamily },
        file: path,
        label: labelOf(file),
        onProgress: (records) => {
          host.signal.throwIfAborted();
          progress.step({ label: labelOf(file), done: records, unit: 'records' });
        },
      });
      // In the same transaction, so that a dry run sees what it would propose.
      const matching = match ? await matchTransfers(work, { familyId: report.family.id }) : undefined;
      return { ...report, file, proposed: matching?.proposed };
    });
  } finally {
    progress.clear();
  }
}

/** A family's data says everything by itself. */
function refuseOthers(options: StatementOptions, label: string): void {
  const others = Object.keys(options).filter((name) => !['family', 'newFamily', 'match'].includes(name));
  if (others.length === 0) return;
  const flags = others.map((name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  throw new UsageError(
    `${label} holds the data of a family, with its accounts: leave out ${flags.join(' and ')}`,
  );
}

function labelOf(file: string): string {
  return file === '-' ? '<stdin>' : file;
}
