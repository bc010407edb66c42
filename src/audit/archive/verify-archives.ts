import { manifestText, sha256Of } from '#src/audit/archive/files/manifest.ts';
import { type ArchiveRange, type ArchiveRecord, listArchiveChain } from '#src/audit/archive/list-archives.ts';
import { readPrunable } from '#src/audit/archive/retention/read-prunable.ts';
import { readLogId } from '#src/audit/archive/run/read-log-id.ts';
import type { Watch } from '#src/audit/archive/run/run.ts';
import { openTarget } from '#src/audit/archive/targets/open-target.ts';
import type { ArchiveTarget } from '#src/audit/archive/targets/target.ts';
import { type Finding, type Findings, note, wrong } from '#src/audit/archive/verify/finding.ts';
import { listUnrecorded } from '#src/audit/archive/verify/list-unrecorded.ts';
import { verifyContent } from '#src/audit/archive/verify/verify-content.ts';
import type { Job } from '#src/kernel/job.ts';
import { type Sql, sqlOn } from '#src/kernel/sql-on.ts';

export interface VerifyOptions extends ArchiveRange {
  watch?: Watch | undefined;
  /** Default: that of the settings. Whoever gives one closes it. */
  target?: ArchiveTarget | undefined;
}

export interface Verification extends Findings {
  target: string;
  /** Archives that were read from the first to the last byte. */
  archives: number;
  rows: number;
}

/**
 * Reads every archive on record and says what is wrong with it: the chain, manifest and checksum beside it, its hash,
 * and each line. Changes nothing.
 */
export async function verifyArchives(job: Job, options: VerifyOptions = {}): Promise<Verification> {
  const target = options.target ?? (await openTarget(job.runtime.config));
  try {
    return await verify(job, target, options);
  } finally {
    if (!options.target) target.close();
  }
}

async function verify(
  { runtime, signal }: Job,
  target: ArchiveTarget,
  { since, until, watch }: VerifyOptions,
): Promise<Verification> {
  const sql = sqlOn(runtime.pool);
  const chain = await listArchiveChain(sql);
  const wanted = new Set((await listArchiveChain(sql, { since, until })).map(({ day }) => day));
  const log = await readLogId(sql);
  const isPrunable = await readPrunable(sql, runtime);
  const findings: Finding[] = [...checkChain(chain, log), ...(await checkAnchors(sql, chain))];

  let rows = 0;
  const kept = chain.filter(({ day, prunedAt }) => prunedAt === null && wanted.has(day));
  for (const archive of kept) {
    signal.throwIfAborted();
    const found = await verifyContent(target, archive, signal);
    findings.push(...(isPrunable(archive) ? found.map(asBeingPruned) : found));
    if (found.length === 0) rows += archive.rows;
    await watch?.({ name: 'archive_examined', day: archive.day, rows: archive.rows });
  }
  for (const { path, day, manifest } of await listUnrecorded(sql, target, { since, until })) {
    const name = `${target.name}/${path}`;
    findings.push(
      manifest && manifest.log !== log
        ? wrong('of_another_database', `of another database, which needs a target of its own: ${name}`, day)
        : note('not_on_record', `not on record: ${name}`, day),
    );
  }
  return {
    target: target.name,
    archives: kept.length,
    rows,
    problems: findings.filter(({ isProblem }) => isProblem),
    notes: findings.filter(({ isProblem }) => !isProblem),
  };
}

/** Killed between the removal of files and its record, `audit prune` leaves just this. */
function asBeingPruned(finding: Finding): Finding {
  if (!finding.code.endsWith('_missing')) return finding;
  return note(
    'being_pruned',
    `${finding.message}; it is past its time, and 'audit prune' finishes that`,
    finding.day,
  );
}

/** What the database itself says, from the first archive to the last. */
function checkChain(chain: readonly ArchiveRecord[], log: string): Finding[] {
  return chain.flatMap((archive, index) => {
    const previous = chain[index - 1];
    const { day, position } = archive;
    const gap = position !== (previous?.position ?? 0) + 1;
    if (gap)
      return [wrong('gap', `the chain has a gap: number ${position} does not follow the one before`, day)];
    if (archive.previousSha256 !== (previous?.manifestSha256 ?? null)) {
      return [wrong('chain_broken', 'the manifest does not name the one before it in the chain', day)];
    }
    const text = manifestText({
      ...archive,
      log,
      previous: previous ? { day: previous.day, sha256: previous.manifestSha256 } : null,
    });
    if (sha256Of(text) === archive.manifestSha256) return [];
    return [wrong('record_changed', 'the record in the database is not what its manifest was made of', day)];
  });
}

const ANCHORS = `select distinct metadata->>'head' as head from audit_events
where event_type = 'audit_archived' and metadata->>'head' is not null`;

/** Entries of the audit log name what was the last archive at their time. */
async function checkAnchors(db: Sql, chain: readonly ArchiveRecord[]): Promise<Finding[]> {
  const known = new Set(chain.map(({ manifestSha256 }) => manifestSha256));
  const missing = (await db.sql<{ head: string }>(ANCHORS)).filter(({ head }) => !known.has(head));
  return missing.map(({ head }) =>
    wrong(
      'not_in_chain',
      `the audit log tells of an archive that is not on record: manifest ${head}`,
      undefined,
    ),
  );
}
