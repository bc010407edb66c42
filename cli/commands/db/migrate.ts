import type { Command } from 'commander';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { print, say } from '#cli/io.ts';
import { printJson } from '#cli/render.ts';
import { lines, oneLine } from '#src/kernel/safe-text.ts';

interface MigrateOptions {
  to?: string;
}

export function migrate(db: Command, host: Host): void {
  db.command('migrate')
    .summary('bring the schema up to date')
    .description(
      'Runs pending migrations under a lock and prints their names; servers do the same when they start. With --dry-run only prints their SQL. What has run is not taken back.',
    )
    .option('--to <name>', 'up to and including this migration; what comes after it stays pending')
    .addHelpText(
      'after',
      examples(
        ['db migrate', 'db migrate --dry-run', 'db migrate --to Migration20261121000000_audit'],
        'financectl db status',
      ),
    )
    .action((options: MigrateOptions) => runMigrate(host, options));
}

async function runMigrate(host: Host, { to }: MigrateOptions): Promise<void> {
  const { pendingUpTo, readMigrationStatus, refuseNewerDatabase } = await import(
    '#src/database/migration-status.ts'
  );
  const { pool } = await host.runtime({ migrateFirst: false });
  const before = await readMigrationStatus(pool);
  refuseNewerDatabase(before);
  const wanted = pendingUpTo(before, to);
  if (host.dryRun) return rehearse(host, wanted);

  // Another process may have run some in between; what this one finds done afterwards is what counts.
  await host.runtime({ migrateFirst: true, migrateTo: to });
  const { executed, pending } = await readMigrationStatus(pool);
  const names = executed.filter((name) => !before.executed.includes(name));
  say(host.io, names.length === 0 ? 'Nothing to migrate' : `${names.length} executed`);
  say(host.io, pending.length === 0 ? 'The schema is up to date' : `${pending.length} still pending`);
  if (host.flags.json) printJson(host, { executed: names });
  else for (const name of names) print(host.io, oneLine(name));
}

async function rehearse(host: Host, names: string[]): Promise<void> {
  const { readMigrationSql } = await import('#src/database/read-migration-sql.ts');
  const migrations = await readMigrationSql(names);
  host.rehearse();
  say(host.io, names.length === 0 ? 'Nothing to migrate' : `${names.length} pending`);
  if (host.flags.json) return printJson(host, { pending: names, migrations });
  for (const { name, sql } of migrations) print(host.io, lines(`-- ${name}\n${sql}\n`));
}
