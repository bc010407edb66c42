import { type Command, Option } from 'commander';
import { type FilterOptions, filterOf, filterOptions } from '#cli/commands/audit/filter-options.ts';
import { tellUnknownProvider } from '#cli/commands/audit/tell-unknown-provider.ts';
import { UsageError } from '#cli/errors.ts';
import { gzipped } from '#cli/gzipped.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { startProgress } from '#cli/progress.ts';
import { streamResult } from '#cli/stream-result.ts';
import { EXPORT_FORMATS, type ExportFormat } from '#src/audit/export/encodings.ts';
import type { Exported, Take } from '#src/audit/export/export-audit-events.ts';

interface ExportOptions extends FilterOptions {
  gzip?: true;
  includeArchive?: true;
}

export function exportAudit(audit: Command, host: Host): void {
  filterOptions(audit.command('export'))
    .summary('write out the log, oldest first')
    .description(
      'Writes everything that matches, oldest first, as it is at one moment: with the same keys and columns as audit list, however many events there are. That it was written out is recorded in the log.',
    )
    .addOption(new Option('--format <format>', 'how it is written (default: ndjson)').choices(EXPORT_FORMATS))
    .option('--gzip', 'compress it')
    .option('--include-archive', 'also the days that have left the database for the archive')
    .addHelpText(
      'after',
      examples(
        [
          'audit export --gzip -o audit.ndjson.gz',
          'audit export --since 2026-01-01 --until 2026-02-01 --format csv -o january.csv',
          'audit export --include-archive --user ada@example.com > ada.ndjson',
        ],
        'financectl audit archives list',
      ),
    )
    .action((options: ExportOptions) => runExport(host, options));
}

async function runExport(host: Host, options: ExportOptions): Promise<void> {
  const { includeArchive = false } = options;
  if (options.gzip && host.io.results.isTTY) {
    throw new UsageError('compressed data is nothing for a terminal', '-o FILE or > FILE takes it.');
  }
  const format = formatOf(host);
  const [{ exportAuditEvents }, { recordAuditExport }] = await Promise.all([
    import('#src/audit/export/export-audit-events.ts'),
    import('#src/audit/export/record-audit-export.ts'),
  ]);
  const exported = await host.job(async (job) => {
    const filter = await job.perform(async (work) => {
      const filter = await filterOf(work, options);
      recordAuditExport(work, { format, filter, includeArchive });
      return filter;
    });
    const request = { filter, format, includeArchive, signal: job.signal };
    return exportAuditEvents(job.runtime, request, taking(host, options));
  });
  report(host, exported);
  if (exported.rows === 0 && options.provider) await tellUnknownProvider(host, options.provider);
}

function formatOf({ flags }: Host): ExportFormat {
  if (flags.json) return 'json';
  return EXPORT_FORMATS.find((format) => format === flags.format) ?? 'ndjson';
}

function taking(host: Host, { gzip }: ExportOptions): Take {
  return async (chunks, exported) => {
    const progress = startProgress(host);
    const told = telling(chunks, () =>
      progress.step({
        label: 'audit export',
        done: exported.rows,
        total: exported.expected && Math.max(exported.expected, exported.rows),
        unit: 'events',
      }),
    );
    try {
      await streamResult(host.io, gzip ? gzipped(told) : told);
    } finally {
      progress.clear();
    }
  };
}

async function* telling(chunks: AsyncIterable<string>, tell: () => void): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    tell();
    yield chunk;
  }
}

/** Nothing where the reader has had enough. */
function report({ io }: Host, { rows, isComplete, archivedDays, leftDays }: Exported): void {
  if (!isComplete) return;
  const from = archivedDays > 0 ? `, those of ${days(archivedDays)} from the archive` : '';
  say(io, `Exported ${rows.toLocaleString('en')} events${from}`);
  const [first] = leftDays;
  if (first === undefined) return;
  const last = leftDays.at(-1);
  const range = first === last ? `of ${first}` : `from ${first} to ${last}`;
  say(io, `Older events ${range} are in the archive; --include-archive exports them too`);
}

function days(count: number): string {
  return count === 1 ? '1 day' : `${count.toLocaleString('en')} days`;
}
