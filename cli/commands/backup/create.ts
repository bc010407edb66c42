import type { Command } from 'commander';
import { CliError, UsageError } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say, warn } from '#cli/io.ts';
import { startProgress } from '#cli/progress.ts';
import { streamResult } from '#cli/stream-result.ts';
import type { BackupSummary } from '#src/backup/write-backup.ts';

export function create(backup: Command, host: Host): void {
  backup
    .usage('[flags] -o <file>')
    .description(
      'Saves everything the database holds at this moment into one file, while the service goes on. Sessions, reset links and the like are left out. Of the embedded database the file also holds the secret its stored secrets are encrypted with: keep it as safe as DATA_DIR.',
    )
    .addHelpText(
      'after',
      examples(
        ['backup -o finance.tar.gz', 'backup -o finance.tar.gz --force --json'],
        'financectl backup verify, financectl restore',
      ),
    )
    .allowExcessArguments()
    .action((_: unknown, { args }: Command) => runBackup(host, args));
}

async function runBackup(host: Host, unknown: readonly string[]): Promise<void> {
  if (unknown.length > 0) {
    throw new UsageError(
      `backup does not know "${unknown.join(' ')}"`,
      'financectl backup -o FILE makes a backup, financectl backup verify FILE checks one.',
    );
  }
  const { io, flags } = host;
  const file = flags.output === '-' ? undefined : flags.output;
  if (file === undefined) refuseStdout(host);
  const runtime = await host.runtime({ migrateFirst: false });
  const summary = await stream(host, runtime);
  if (!summary) throw new CliError('incomplete', 1, 'the reader has gone: what it got is not a whole backup');
  await record(host, summary);

  const { tables, rows, bytes, holdsSecretKeyBase } = summary;
  say(io, `Saved ${rows} rows of ${tables} tables in ${bytes} bytes${file ? ` to ${file}` : ''}`);
  if (holdsSecretKeyBase) {
    warn(
      io,
      'The file holds the secret_key_base of DATA_DIR: whoever reads it can decrypt what is in it. Keep it as safe as DATA_DIR.',
    );
  } else if (runtime.config.database.url !== undefined) {
    say(
      io,
      'Keep SECRET_KEY_BASE too; it is not in the file. For a large database pg_dump is the better tool.',
    );
  }
  if (flags.json) io.stdout.write(`${host.document(present(summary, file))}\n`);
}

function refuseStdout({ io, flags }: Host): void {
  if (io.results.isTTY) {
    throw new UsageError('a backup is no text for a terminal', 'Name a file: financectl backup -o FILE.');
  }
  if (flags.json) {
    throw new UsageError('--json needs -o FILE', 'Without a file, stdout is the backup itself.');
  }
}

/** Undefined when nobody reads it any more. */
async function stream(
  host: Host,
  runtime: Awaited<ReturnType<Host['runtime']>>,
): Promise<BackupSummary | undefined> {
  const { writeBackup } = await import('#src/backup/write-backup.ts');
  const progress = startProgress(host);
  let summary: BackupSummary | undefined;
  async function* bytes() {
    summary = yield* writeBackup(runtime, {
      signal: host.signal,
      onProgress: (table, rows) => progress.show(`${table}: ${rows} rows`),
    });
  }
  try {
    await streamResult(host.io, bytes());
  } finally {
    progress.clear();
  }
  return summary;
}

/** In the audit log, unless its tables are those of an older release. A dry run writes the file, and not this. */
async function record(host: Host, { createdAt, rows, bytes }: BackupSummary): Promise<void> {
  if (host.dryRun) return warn(host.io, 'DRY RUN: the file is whole, but it is not in the audit log');
  const [{ recordAuditEvent }, { readMigrationStatus }] = await Promise.all([
    import('#src/audit/record-audit-event.ts'),
    import('#src/database/migration-status.ts'),
  ]);
  const { pool } = await host.runtime({ migrateFirst: false });
  const { pending } = await readMigrationStatus(pool);
  if (pending.length > 0) {
    return warn(host.io, 'The schema is older than this release, so the backup is not in the audit log');
  }
  await host.perform(async (work) =>
    recordAuditEvent(work, 'backup_created', { metadata: { created_at: createdAt, rows, bytes } }),
  );
}

function present(summary: BackupSummary, file: string | undefined) {
  return {
    file,
    created_at: summary.createdAt,
    tables: summary.tables,
    rows: summary.rows,
    bytes: summary.bytes,
    migrations: summary.migrations,
    secret_key_base: summary.holdsSecretKeyBase,
  };
}
