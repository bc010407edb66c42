import type { Command } from 'commander';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { print, say } from '#cli/io.ts';
import { printJson } from '#cli/render.ts';
import { oneLine } from '#src/kernel/safe-text.ts';

export function migrate(db: Command, host: Host): void {
  db.command('migrate')
    .summary('bring the schema up to date')
    .description(
      'Runs pending migrations under a lock and prints their names; servers do the same when they start. With --dry-run only prints them.',
    )
    .addHelpText('after', examples(['db migrate', 'db migrate --dry-run'], 'financectl db status'))
    .action(() => runMigrate(host));
}

async function runMigrate(host: Host): Promise<void> {
  const { readMigrationStatus, refuseNewerDatabase } = await import('#src/database/migration-status.ts');
  const { pool } = await host.runtime({ migrateFirst: false });
  const before = await readMigrationStatus(pool);
  refuseNewerDatabase(before);

  if (host.dryRun) {
    host.rehearse();
    return tell(host, before.pending, 'pending');
  }
  // Another process may have run some in between; what this one finds done afterwards is what counts.
  await host.runtime({ migrateFirst: true });
  const after = await readMigrationStatus(pool);
  tell(
    host,
    after.executed.filter((name) => !before.executed.includes(name)),
    'executed',
  );
}

function tell(host: Host, names: string[], what: 'pending' | 'executed'): void {
  const { io, flags } = host;
  say(io, names.length === 0 ? 'The schema is up to date' : `${names.length} ${what}`);
  if (flags.json) printJson(host, { [what]: names });
  else for (const name of names) print(io, oneLine(name));
}
