import { forEachOf } from '#cli/batch.ts';
import { type AnyReport, conflictsOf, printAll, tellAny } from '#cli/commands/import/any-report.ts';
import { holdsFamilyData, importFamilyFile } from '#cli/commands/import/family-file.ts';
import { statementFormat } from '#cli/commands/import/import-formats.ts';
import type { StatementOptions } from '#cli/commands/import/statement.ts';
import { withStdinFile } from '#cli/commands/import/stdin-file.ts';
import { PartlyDone, UsageError } from '#cli/errors.ts';
import { chooseFamily } from '#cli/family-option.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { startProgress } from '#cli/progress.ts';
import type { ImportReport, StatementImport } from '#src/imports/import-statement.ts';

/** What one file brought. */
export interface FileReport extends ImportReport {
  /** As it was written on the command line. */
  file: string;
  /** Transfers proposed by --match. */
  proposed: number | undefined;
}

const PREVIEW_ROWS = 20;

export async function runImport(host: Host, files: string[], options: StatementOptions): Promise<void> {
  const { account } = options;
  const { format = 'auto' } = host.flags;
  if (files.length === 0 || (account === undefined && format !== 'auto' && format !== 'sure')) {
    const missing = [files.length === 0 && 'a FILE', account === undefined && '--account <account>'];
    throw new UsageError(
      `missing: ${missing.filter(Boolean).join(' and ')}`,
      "'financectl import --help' shows how it is used.",
    );
  }
  const reports: AnyReport[] = [];
  await forEachOf(
    host,
    files,
    async (file) => {
      const report = await withStdinFile(host, file, (path) => importAny(host, { file, path, options }));
      tellAny(host, report);
      reports.push(report);
    },
    () => printAll(host, reports),
  );
  if (options.match) say(host.io, 'Next: financectl transfers list --status pending');
  const rejected = reports.reduce((sum, report) => sum + report.rejectedCount, 0);
  if (rejected > 0) throw new PartlyDone(`${rejected} ${rejected === 1 ? 'row was' : 'rows were'} rejected`);
  const conflicts = reports.reduce((sum, report) => sum + conflictsOf(report), 0);
  if (conflicts > 0) {
    throw new PartlyDone(
      `${conflicts} ${conflicts === 1 ? 'record differs' : 'records differ'} from what is here`,
    );
  }
}

interface AnyFile {
  file: string;
  path: string;
  options: StatementOptions;
}

interface OneFile extends AnyFile {
  account: string;
}

async function importAny(host: Host, one: AnyFile): Promise<AnyReport> {
  const { account, newFamily } = one.options;
  if (await holdsFamilyData(host, one)) return importFamilyFile(host, one);
  if (newFamily !== undefined) {
    throw new UsageError('--new-family is for the data of a family; a statement goes into an --account');
  }
  if (account === undefined) {
    throw new UsageError('missing: --account <account>', "'financectl import --help' shows how it is used.");
  }
  return importFile(host, { ...one, account });
}

async function importFile(host: Host, { file, path, account, options }: OneFile): Promise<FileReport> {
  const [{ importStatement }, { matchTransfers }] = await Promise.all([
    import('#src/imports/import-statement.ts'),
    import('#src/ledger/match-transfers.ts'),
  ]);
  const progress = startProgress(host);
  try {
    return await host.perform(async (work) => {
      const familyId = await chooseFamily(work, options);
      const report = await importStatement(work, {
        familyId,
        account,
        file: path,
        currency: options.currency,
        options: readOptions(host, options, file),
        preview: host.dryRun ? PREVIEW_ROWS : 0,
        onProgress: (rows) => {
          host.signal.throwIfAborted();
          progress.step({ label: file, done: rows, unit: 'rows' });
        },
      });
      // In the same transaction, so that a dry run sees what it would propose.
      const matching = options.match ? await matchTransfers(work, { familyId }) : undefined;
      return { ...report, file, proposed: matching?.proposed };
    });
  } finally {
    progress.clear();
  }
}

function readOptions(
  { flags }: Host,
  options: StatementOptions,
  file: string,
): NonNullable<StatementImport['options']> {
  const {
    preset,
    delimiter,
    decimal,
    dateFormat,
    sign,
    encoding,
    skipRows,
    map: columns,
    statement,
  } = options;
  const label = file === '-' ? '<stdin>' : file;
  const csv = { preset, delimiter, decimal, dateFormat, sign, skipRows, columns };
  return { ...csv, label, encoding, account: statement, format: statementFormat(flags.format) };
}
