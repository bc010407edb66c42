import type { Command } from 'commander';
import { type RangeOptions, rangeOptions } from '#cli/commands/audit/archives/range.ts';
import { UsageError } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { startProgress } from '#cli/progress.ts';
import { printResult } from '#cli/render.ts';

interface RestoreOptions extends RangeOptions {
  all?: true;
  fromTarget?: true;
}

export function restore(archives: Command, host: Host): void {
  rangeOptions(archives.command('restore'))
    .summary('bring archived events back into the database')
    .description(
      'Brings back the events of archived days that the database no longer has. They stay in the archive, and leave again with the next `audit archive` when they are past their time: keep that from running while they are needed.',
    )
    .option('--all', 'every archived day')
    .option(
      '--from-target',
      'also days that the target holds and the database has no record of, as after a backup was restored',
    )
    .addHelpText(
      'after',
      examples(
        [
          'audit archives restore --since 2026-01-01 --until 2026-02-01 --dry-run',
          'audit archives restore --all',
        ],
        'financectl audit archives list',
      ),
    )
    .action((options: RestoreOptions) => runRestore(host, options));
}

async function runRestore(host: Host, { since, until, all, fromTarget }: RestoreOptions): Promise<void> {
  if (!all && since === undefined && until === undefined) {
    throw new UsageError('--since, --until or --all is required: which days are meant');
  }
  const { restoreArchives } = await import('#src/audit/archive/restore-archives.ts');
  const progress = startProgress(host);
  const watch = ({ day = '', rows = 0 }: { day?: string | undefined; rows?: number | undefined }) =>
    progress.show(`restored ${day}: ${rows} events`);
  const days = await host
    .job((job) => restoreArchives(job, { since, until, unrecorded: fromTarget, watch }))
    .finally(() => progress.clear());

  const restored = days.reduce((sum, day) => sum + day.restored, 0);
  const verb = host.dryRun ? 'Would bring back' : 'Brought back';
  say(host.io, `${verb} ${restored} events of ${days.length} archived days`);
  if (restored > 0 && !host.dryRun) {
    say(host.io, "Those past their time leave again with the next 'audit archive'");
  }
  printResult(host, {
    days: days.length,
    restored,
    archives: days.map(({ day, rows, restored, isRecorded }) => ({
      day,
      rows,
      restored,
      on_record: isRecorded,
    })),
  });
}
