import type { Command } from 'commander';
import { openFile } from '#cli/commands/backup/open-file.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say, warn } from '#cli/io.ts';
import { startProgress } from '#cli/progress.ts';
import { printFields } from '#cli/render.ts';
import type { Verified } from '#src/backup/verify-backup.ts';

export function verify(backup: Command, host: Host): void {
  backup
    .command('verify')
    .summary('check a backup, and say what is in it')
    .description(
      'Reads all of a backup, compares it with its checksums, and says what it holds. Needs no database and changes nothing.',
    )
    .argument('<file>', 'the backup; - is standard input')
    .addHelpText('after', examples(['backup verify finance.tar.gz'], 'financectl restore'))
    .action((file: string) => runVerify(host, file));
}

async function runVerify(host: Host, file: string): Promise<void> {
  const [{ verifyBackup }, { listMigrations }] = await Promise.all([
    import('#src/backup/verify-backup.ts'),
    import('#src/database/migration-status.ts'),
  ]);
  const progress = startProgress(host);
  const source = await openFile(host, file);
  const verified = await verifyBackup(source, (table) => progress.show(table)).finally(() =>
    progress.clear(),
  );
  print(host, verified);
  const known = listMigrations();
  const isNewer = verified.manifest.migrations.some((name) => !known.includes(name));
  if (isNewer) warn(host.io, 'It is whole, but newer than this release, which cannot restore it');
  else say(host.io, 'It is whole');
}

function print(host: Host, { manifest, counts }: Verified): void {
  const tables = [...counts].map(([name, rows]) => ({ name, rows }));
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  printFields(
    host,
    [
      ['created', manifest.createdAt],
      ['by release', manifest.productVersion],
      ['migrations', manifest.migrations.length],
      ['rows', rows],
      ...tables.map(({ name, rows }): [string, number] => [`  ${name}`, rows]),
      ['secret_key_base', manifest.holdsSecretKeyBase],
    ],
    {
      created_at: manifest.createdAt,
      product_version: manifest.productVersion,
      migrations: manifest.migrations,
      rows,
      tables,
      secret_key_base: manifest.holdsSecretKeyBase,
    },
  );
}
