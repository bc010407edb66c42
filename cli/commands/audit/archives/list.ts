import type { Command } from 'commander';
import { type RangeOptions, rangeOptions } from '#cli/commands/audit/archives/range.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { type Column, listOptions, printList } from '#cli/render.ts';
import { iso, shortTime } from '#cli/times.ts';
import type { ArchiveRecord } from '#src/audit/archive/list-archives.ts';

const COLUMNS: Column<ArchiveRecord>[] = [
  { key: 'day', value: ({ day }) => day, whole: true },
  { key: 'rows', header: 'EVENTS', value: ({ rows }) => rows, align: 'right', whole: true },
  { key: 'bytes', value: ({ bytes }) => bytes, align: 'right', whole: true },
  { key: 'tier', value: ({ tier }) => tier },
  {
    key: 'archived_at',
    value: ({ archivedAt }) => iso(archivedAt),
    text: ({ archivedAt }) => shortTime(archivedAt),
  },
  { key: 'file', value: ({ file }) => file },
  { key: 'sha256', value: ({ sha256 }) => sha256, detail: true },
  { key: 'position', value: ({ position }) => position, detail: true },
  { key: 'first_id', value: ({ firstId }) => firstId, detail: true },
  { key: 'last_id', value: ({ lastId }) => lastId, detail: true },
  { key: 'manifest', value: ({ manifest }) => manifest, detail: true },
  { key: 'manifest_sha256', value: ({ manifestSha256 }) => manifestSha256, detail: true },
];

export function list(archives: Command, host: Host): void {
  rangeOptions(listOptions(archives.command('list')))
    .alias('ls')
    .summary('show archived days, oldest first')
    .description(
      'Shows the days of the audit log that are in the archive, without those that have been pruned.',
    )
    .addHelpText('after', examples(['audit archives list --since 400d', 'audit archives list --format csv']))
    .action((options: RangeOptions & { header: boolean }) => runList(host, options));
}

async function runList(host: Host, options: RangeOptions & { header: boolean }): Promise<void> {
  const { listArchives } = await import('#src/audit/archive/list-archives.ts');
  const rows = await host.read((work) => listArchives(work, options));
  await printList(host, options, { rows, columns: COLUMNS, empty: 'Nothing is archived' });
}
