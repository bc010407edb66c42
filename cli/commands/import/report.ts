import type { FileReport } from '#cli/commands/import/run-import.ts';
import type { Host } from '#cli/host.ts';
import { say, warn } from '#cli/io.ts';
import { type Column, printList } from '#cli/render.ts';
import type { PreviewRow } from '#src/imports/import-statement.ts';
import type { LineMessage } from '#src/imports/readers/statement.ts';

/** On stderr: every rejected line with its reason, then the sum. */
export function tellReport({ io, dryRun }: Host, report: FileReport): void {
  const file = report.file === '-' ? '<stdin>' : report.file;
  for (const rejected of report.rejected) warn(io, `${file}:${located(rejected)}`);
  const unnamed = report.rejectedCount - report.rejected.length;
  if (unnamed > 0) warn(io, `${file}: ${unnamed} more lines were rejected`);
  for (const notice of report.notices) say(io, `${file}:${located(notice, 'note: ')}`);

  const detected = Object.entries(report.detected).map(([name, value]) => `${name} ${value}`);
  if (dryRun && detected.length > 0) say(io, `${file}: found out: ${detected.join(', ')}`);
  const { imported, duplicates, rejectedCount, account, proposed } = report;
  const transfers = proposed === undefined ? '' : `; ${proposed} transfers proposed`;
  say(
    io,
    `${file}: ${imported} imported, ${duplicates} duplicates, ${rejectedCount} rejected → ${account.name}${transfers}`,
  );
}

/** `line: why`, or `line:column: why` where the column is known. */
function located({ line, column, message }: LineMessage, mark = ''): string {
  return `${line}${column === undefined ? '' : `:${column}`}: ${mark}${message}`;
}

/** On stdout: the first rows, as they would come in. */
export async function printPreview(host: Host, { preview }: FileReport): Promise<void> {
  const { formatMoney } = await import('#src/ledger/money.ts');
  const table = { rows: preview, columns: previewColumns(formatMoney), empty: 'Nothing to import' };
  await printList(host, { header: true }, table);
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

export function presentReport({ file, account, preview, ...report }: FileReport) {
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
    detected: Object.fromEntries(
      Object.entries(report.detected).map(([name, value]) => [snakeCase(name), value]),
    ),
    ...(report.proposed !== undefined && { transfers_proposed: report.proposed }),
    ...(preview.length > 0 && { preview: preview.map(presentPreview) }),
  };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function presentPreview({ line, date, amountCents, currency, name, status }: PreviewRow) {
  return { line, date, amount_cents: amountCents, currency, name, status };
}
