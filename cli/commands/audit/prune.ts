import type { Command } from 'commander';
import { requireDatabase } from '#cli/commands/audit/require-database.ts';
import { confirm } from '#cli/confirm.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { startProgress } from '#cli/progress.ts';
import { printResult } from '#cli/render.ts';

export function prune(audit: Command, host: Host): void {
  audit
    .command('prune')
    .summary('remove archives that are past their time')
    .description(
      'Removes the archives of the audit log that are past the time of the tier they were made under, or of AUDIT_RETENTION where that is longer: 1 year (extended), 7 years (compliance). It cannot be undone. Asks first.',
    )
    .addHelpText(
      'after',
      examples(['audit prune --dry-run', 'audit prune --yes --quiet'], 'financectl audit archives list'),
    )
    .action(() => runPrune(host));
}

async function runPrune(host: Host): Promise<void> {
  await requireDatabase(host);
  const { listPrunable, pruneArchives } = await import('#src/audit/archive/prune-archives.ts');
  const due = await listPrunable(await host.runtime());
  if (due.length === 0) {
    say(host.io, 'No archive is past its time');
    return printResult(host, { days: 0, rows: 0, pruned: [] });
  }
  const range = `${due.at(0)?.day} to ${due.at(-1)?.day}`;
  await confirm(host, `Remove ${due.length} archives (${range}) for good?`);

  const progress = startProgress(host);
  const watch = ({ day = '' }: { day?: string | undefined }) => progress.show(`removed ${day}`);
  const pruned = await host.job((job) => pruneArchives(job, { watch })).finally(() => progress.clear());
  const rows = pruned.reduce((sum, archive) => sum + archive.rows, 0);
  say(host.io, `${host.dryRun ? 'Would remove' : 'Removed'} ${pruned.length} archives with ${rows} events`);
  printResult(host, { days: pruned.length, rows, pruned: pruned.map(({ day, file }) => ({ day, file })) });
}
