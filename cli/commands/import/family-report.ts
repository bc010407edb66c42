import type { Host } from '#cli/host.ts';
import { say, warn } from '#cli/io.ts';
import type { FamilyImportReport } from '#src/family-data/import-family.ts';

/** What the data of a family brought. */
export interface FamilyFileReport extends FamilyImportReport {
  /** As it was written on the command line. */
  file: string;
  /** Transfers proposed by --match. */
  proposed: number | undefined;
}

/** On stderr: every rejected or differing record with its reason, what is not kept, then the sums by type. */
export function tellFamilyReport({ io }: Host, report: FamilyFileReport): void {
  const file = report.file === '-' ? '<stdin>' : report.file;
  for (const { line, message } of report.messages) warn(io, `${file}:${line}: ${message}`);
  const untold = report.rejectedCount + report.conflictCount - report.messages.length;
  if (untold > 0) warn(io, `${file}: ${untold} more were rejected or differ`);
  for (const notice of report.notices) warn(io, `${file}: note: ${notice}`);
  const skipped = Object.entries(report.skipped).map(([type, count]) => `${type} ${count}`);
  if (skipped.length > 0) warn(io, `${file}: skipped, because it is not kept here: ${skipped.join(', ')}`);

  for (const [type, { added, present, conflicts, rejected }] of Object.entries(report.records)) {
    say(
      io,
      `${file}: ${type}: ${added} new, ${present} there already, ${conflicts} differ, ${rejected} rejected`,
    );
  }
  const transfers = report.proposed === undefined ? '' : `; ${report.proposed} transfers proposed`;
  say(io, `${file} → the family ${report.family.name}${transfers}`);
}

export function presentFamilyReport({ file, family, records, ...report }: FamilyFileReport) {
  return {
    file,
    format: 'sure',
    family,
    import_ids: report.importIds,
    records,
    skipped: report.skipped,
    conflict_count: report.conflictCount,
    rejected_count: report.rejectedCount,
    messages: report.messages,
    notices: report.notices,
    ...(report.proposed !== undefined && { transfers_proposed: report.proposed }),
  };
}
