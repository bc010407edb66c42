import type { FileReport } from '#cli/commands/import/run-import.ts';
import type { Host } from '#cli/host.ts';
import { say, warn } from '#cli/io.ts';
import { type Column, printList, printResult } from '#cli/render.ts';
import type { PreviewRow } from '#src/imports/import-statement.ts';

/** On stderr: every rejected line with its reason, then the sum. */
export function tellReport({ io, dryRun }: Host, report: FileReport): void {
  const file = report.file === '-' ? '<stdin>' : report.file;
  for (const { line, message } of report.rejected) warn(io, `${file}:${line}: ${message}`);
  const unnamed = report.rejectedCount - report.rejected.length;
  if (unnamed > 0) warn(io, `${file}: ${unnamed} more lines were rejected`);
  for (const { line, message } of report.notices) say(io, `${file}:${line}: note: ${message}`);

  const detected = Object.entries(report.detected).map(([name, value]) => `${name} ${value}`);
  if (dryRun && detected.length > 0) say(io, `${file}: found out: ${detected.join(', ')}`);
  const { imported, duplicates, rejectedCount, account, proposed } = report;
  const transfers = proposed === undefined ? '' : `; ${proposed} transfers proposed`;
  say(
    io,
    `${file}: ${imported} imported, ${duplicates} duplicates, ${rejectedCount} rejected → ${account.name}${transfers}`,
  );
}

/** On stdout: the reports as JSON, the preview of a dry run, or the ids by which the imports can be undone. */
export async function printReports(host: Host, reports: readonly FileReport[]): Promise<void> {
  if (host.flags.json) return printResult(host, reports.map(presentReport));
  for (const { importId, preview } of reports) {
    if (host.dryRun) {
      const { formatMoney } = await import('#src/ledger/money.ts');
      const table = { rows: preview, columns: previewColumns(formatMoney), empty: 'Nothing to import' };
      await printList(host, { header: true }, table);
    } else if (importId !== null) {
      printResult(host, undefined, importId);
    }
  }
}

function previewColumns(formatMoney: (cents: number, currency: string) => string): Column<PreviewRow>[] {
  return [
    { key: 'line', value: ({ line }) => line, align: 'right' },
    { key: 'status', value: ({ status }) => status },
    { key: 'date', value: ({ date }) => date },
    {
      key: 'amount',
      value: ({ amountCents, currency }) => formatMoney(amountCents, currency),
      align: 'right',
    },
    { key: 'name', value: ({ name }) => name },
  ];
}

function presentReport({ file, account, preview, ...report }: FileReport) {
  return {
    file,
    import_id: report.importId,
    format: report.format,
    account,
    imported: report.imported,
    duplicates: report.duplicates,
    rejected: report.rejected,
    rejected_count: report.rejectedCount,
    notices: report.notices,
    detected: report.detected,
    ...(report.proposed !== undefined && { transfers_proposed: report.proposed }),
    ...(preview.length > 0 && { preview: preview.map(presentPreview) }),
  };
}

function presentPreview({ line, date, amountCents, currency, name, status }: PreviewRow) {
  return { line, date, amount_cents: amountCents, currency, name, status };
}
