import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type ArchiveOptions, archiveAuditEvents } from '#src/audit/archive/archive-audit-events.ts';
import type { RetentionTier } from '#src/kernel/config.ts';
import type { Job } from '#src/kernel/job.ts';
import { newId } from '#src/kernel/new-id.ts';
import { perform } from '#src/kernel/perform.ts';
import type { Runtime } from '#src/kernel/work.ts';
import type { Harness } from '#test/support/database.ts';

export interface Event {
  id: string;
  /** ISO 8601, up to microseconds. */
  at: string;
}

const DAY_MS = 86_400_000;
/** In memory where there is such a thing: what tests store need not be on a disk. */
const FOLDERS = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Noon, this many days ago; the further digits keep events of a day apart. */
export function daysAgo(days: number, { microseconds = 0 } = {}): string {
  const noon = `${new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)}T12:00:00`;
  return `${noon}.${String(microseconds).padStart(6, '0')}Z`;
}

/** An empty audit log, nothing archived, and an empty folder, before each test. */
export function useArchive(harness: Harness) {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(FOLDERS, 'archive-test-'));
    await emptyAuditLog(harness);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const runtimeWith = (retention: RetentionTier): Runtime => {
    const { config } = harness.runtime;
    return {
      ...harness.runtime,
      config: { ...config, audit: { ...config.audit, retention, archive: folder } },
    };
  };
  return {
    get folder() {
      return folder;
    },
    runtimeWith,
    archive: (retention: RetentionTier, options: ArchiveOptions = {}) =>
      archiveAuditEvents(jobOn(runtimeWith(retention)), options),
    job: (retention: RetentionTier, options: Partial<Pick<Job, 'dryRun' | 'signal'>> = {}) =>
      jobOn(runtimeWith(retention), options),
  };
}

export function jobOn(runtime: Runtime, options: Partial<Pick<Job, 'dryRun' | 'signal'>> = {}): Job {
  const { dryRun = false, signal = new AbortController().signal } = options;
  return {
    runtime,
    signal,
    dryRun,
    perform: (task) => perform(runtime, { actor: { kind: 'system' }, dryRun }, task),
  };
}

/** Only a superuser who turns triggers off can do this. */
export async function emptyAuditLog({ runtime }: Harness): Promise<void> {
  const client = await runtime.pool.connect();
  try {
    await client.query(`begin; set local session_replication_role = replica;
      delete from audit_events; delete from audit_archives; delete from audit_retention;
      update job_leases set owner = null, expires_at = null; commit`);
  } finally {
    client.release();
  }
}

/** Events at these moments, as other tests of the log would have left them. */
export async function givenEvents(harness: Harness, moments: readonly string[]): Promise<Event[]> {
  const events = moments.map((at) => ({ id: newId(), at }));
  await harness.query(
    `insert into audit_events (id, created_at, event_type, actor_kind, provider, user_agent, metadata)
     select (e->>'id')::uuid, (e->>'at')::timestamptz, 'login', 'web', 'okta', E'Größe "\\\\" 家',
       jsonb_build_object('method', 'saml', 'n', e->>'at')
     from json_array_elements($1::json) e`,
    [JSON.stringify(events)],
  );
  return events;
}

/** Ids of what the database has, without what runs have recorded themselves. */
export async function storedIds(harness: Harness): Promise<string[]> {
  const rows = await harness.query<{ id: string }>(
    `select id from audit_events where event_type = 'login' order by created_at, id`,
  );
  return rows.map(({ id }) => id);
}

export async function recordedOf(harness: Harness, eventType: string): Promise<Record<string, unknown>[]> {
  const rows = await harness.query<{ metadata: Record<string, unknown> }>(
    'select metadata from audit_events where event_type = $1 order by created_at, id',
    [eventType],
  );
  return rows.map(({ metadata }) => metadata);
}
