import {
  type FamilyFileReport,
  presentFamilyReport,
  tellFamilyReport,
} from '#cli/commands/import/family-report.ts';
import { presentReport, printPreview, tellReport } from '#cli/commands/import/report.ts';
import type { FileReport } from '#cli/commands/import/run-import.ts';
import type { Host } from '#cli/host.ts';
import { printResult } from '#cli/render.ts';

/** What a file brought: a statement into one account, or a family's data. */
export type AnyReport = FileReport | FamilyFileReport;

export function tellAny(host: Host, report: AnyReport): void {
  if ('family' in report) tellFamilyReport(host, report);
  else tellReport(host, report);
}

/** On stdout: the reports as JSON, the preview of a dry run, or the ids by which the imports can be undone. */
export async function printAll(host: Host, reports: readonly AnyReport[]): Promise<void> {
  if (host.flags.json) {
    const present = (report: AnyReport) =>
      'family' in report ? presentFamilyReport(report) : presentReport(report);
    return printResult(host, reports.map(present));
  }
  for (const report of reports) {
    if ('family' in report) {
      for (const id of host.dryRun ? [] : report.importIds) printResult(host, undefined, id);
    } else if (host.dryRun) {
      await printPreview(host, report);
    } else if (report.importId !== null) {
      printResult(host, undefined, report.importId);
    }
  }
}

/** Only a family's data can say something else than what is here. */
export function conflictsOf(report: AnyReport): number {
  return 'family' in report ? report.conflictCount : 0;
}
