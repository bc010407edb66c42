import { userInfo } from 'node:os';
import { openFile } from '#cli/commands/backup/open-file.ts';
import type { RestoreFlags } from '#cli/commands/restore/index.ts';
import { typeToConfirm } from '#cli/confirm.ts';
import { Refused } from '#cli/errors.ts';
import type { Host } from '#cli/host.ts';
import { say, warn } from '#cli/io.ts';
import { startProgress } from '#cli/progress.ts';
import { printResult } from '#cli/render.ts';
import type { OpenBackup } from '#src/backup/open-backup.ts';
import type { RestoreSummary } from '#src/backup/restore-backup.ts';

export async function runRestore(host: Host, file: string, options: RestoreFlags): Promise<void> {
  const { openBackup } = await import('#src/backup/open-backup.ts');
  const backup = await openBackup(await openFile(host, file));
  try {
    const { createdAt, productVersion, tables } = backup.manifest;
    say(
      host.io,
      `${file}: backup of ${createdAt}, made by release ${productVersion}, ${tables.length} tables`,
    );
    const summary = await restoreConfirmed(host, backup, options);
    tell(host, backup, summary);
    if (!host.dryRun) await checkSecrets(host, file, backup);
    printResult(host, present(backup, summary));
  } finally {
    await backup.close();
  }
}

async function restoreConfirmed(
  host: Host,
  backup: OpenBackup,
  options: RestoreFlags,
): Promise<RestoreSummary> {
  const [{ refuseInUse, restoreBackup }, { countHoldings, refuseNewerBackup }] = await Promise.all([
    import('#src/backup/restore-backup.ts'),
    import('#src/backup/restore-steps.ts'),
  ]);
  refuseNewerBackup(backup.manifest);
  const runtime = await host.runtime({ migrateFirst: false });
  const holdings = await countHoldings(runtime.pool);
  const isInUse = Object.keys(holdings).length > 0;
  if (isInUse && !options.replace) throw refuseInUse(holdings);
  if (isInUse) await confirmReplacing(host, holdings, options);

  if (host.dryRun) host.rehearse();
  const progress = startProgress(host);
  return restoreBackup(runtime, backup, {
    actor: { kind: 'cli', osUser: osUser() },
    actingAs: host.flags.actor ?? (host.env.FINANCECTL_ACTOR?.trim() || undefined),
    signal: host.signal,
    dryRun: host.dryRun,
    replace: options.replace === true && isInUse,
    replaceSecret: options.replace === true,
    onProgress: (text) => progress.show(text),
  }).finally(() => progress.clear());
}

async function confirmReplacing(
  host: Host,
  holdings: Record<string, number>,
  { confirm }: RestoreFlags,
): Promise<void> {
  const what = Object.entries(holdings).map(([name, count]) => `${name.replace('_', ' ')}: ${count}`);
  say(host.io, `This permanently replaces everything the database holds (${what.join(', ')}).`);
  if (host.dryRun) return;
  const word = confirm ?? (await typeToConfirm(host, 'Type replace to confirm', '--confirm replace'));
  if (word !== 'replace') throw new Refused('not confirmed: nothing was changed', 'The word is: replace');
}

function tell({ io, dryRun }: Host, { manifest }: OpenBackup, summary: RestoreSummary): void {
  const { rows, tables, migrated, secretKeyBase, oldSecretFile } = summary;
  say(io, `${dryRun ? 'Would restore' : 'Restored'} ${rows} rows of ${tables} tables`);
  if (migrated.length > 0) say(io, `Then ${dryRun ? 'would run' : 'ran'} ${migrated.join(', ')}`);
  if (dryRun) return;
  say(
    io,
    `Everybody signs in anew. What was revoked, or changed, since ${manifest.createdAt} is as it was then: keys and passwords too.`,
  );
  if (oldSecretFile !== undefined) say(io, `The secret_key_base that was there is now ${oldSecretFile}`);
  if (secretKeyBase === 'replaced') warn(io, 'Restart the service: it still has the old secret_key_base');
}

/** Another key does not make a restore fail, because the right one can be set afterwards. */
async function checkSecrets(host: Host, file: string, backup: OpenBackup): Promise<void> {
  const { checkKeys } = await import('#src/sso/providers/rotate-keys.ts');
  const { unreadable } = await host.read((work) => checkKeys(work));
  if (unreadable.length === 0) return;
  warn(
    host.io,
    `${unreadable.length} stored secrets cannot be decrypted with the keys of the settings: financectl keys check`,
  );
  if (backup.secretKeyBase !== undefined) {
    warn(host.io, `The backup holds the SECRET_KEY_BASE they need: tar xzOf ${file} secret_key_base`);
  }
}

function present({ manifest }: OpenBackup, summary: RestoreSummary) {
  return {
    created_at: manifest.createdAt,
    product_version: manifest.productVersion,
    tables: summary.tables,
    rows: summary.rows,
    replaced: Object.keys(summary.replaced).length > 0,
    migrations_run: summary.migrated,
    secret_key_base: summary.secretKeyBase,
    old_secret_file: summary.oldSecretFile ?? null,
  };
}

function osUser(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a user id that has no name.
    return process.getuid?.().toString();
  }
}
