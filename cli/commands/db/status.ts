import type { Command } from 'commander';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { type Column, listOptions, printList } from '#cli/render.ts';

interface Migration {
  name: string;
  status: 'executed' | 'pending' | 'unknown';
}

const COLUMNS: Column<Migration>[] = [
  { key: 'name', header: 'MIGRATION', value: ({ name }) => name, whole: true },
  { key: 'status', value: ({ status }) => status },
];

export function status(db: Command, host: Host): void {
  listOptions(db.command('status'))
    .summary('show which migrations have run')
    .description(
      'Shows every migration: executed, pending, or unknown to this release because a newer one ran it. Changes nothing.',
    )
    .addHelpText('after', examples(['db status', 'db status --json'], 'financectl db migrate'))
    .action((options: { header: boolean }) => runStatus(host, options));
}

async function runStatus(host: Host, options: { header: boolean }): Promise<void> {
  const { readMigrationStatus } = await import('#src/database/migration-status.ts');
  const { pool } = await host.runtime({ migrateFirst: false });
  const { executed, pending, unknown } = await readMigrationStatus(pool);
  const rows: Migration[] = [
    ...executed.map((name) => ({
      name,
      status: unknown.includes(name) ? ('unknown' as const) : ('executed' as const),
    })),
    ...pending.map((name) => ({ name, status: 'pending' as const })),
  ];
  await printList(host, options, { rows, columns: COLUMNS, empty: 'There are no migrations' });
  if (unknown.length > 0) say(host.io, 'The database is newer than this release');
  else if (pending.length > 0) say(host.io, `${pending.length} pending. Next: financectl db migrate`);
  else say(host.io, 'The schema is up to date');
}
