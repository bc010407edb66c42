import { randomUUID } from 'node:crypto';
import { Client, type QueryResultRow } from 'pg';
import { afterAll, beforeAll, beforeEach, inject } from 'vitest';
import { loadConfig } from '#config/env.ts';
import { createLog } from '#src/kernel/log.ts';
import { perform } from '#src/kernel/perform.ts';
import type { Runtime, Work } from '#src/kernel/work.ts';
import { createRuntime } from '#src/runtime.ts';

/** Runs SQL on the tests' server as superuser, in the given database. */
async function asSuperuser<Row extends QueryResultRow>(
  sql: string,
  { database = 'postgres', values = [] }: { database?: string; values?: unknown[] } = {},
): Promise<Row[]> {
  return withClient(urlOf(database), async (client) => (await client.query<Row>(sql, values)).rows);
}

/** A connection of its own, for one task. */
export async function withClient<Result>(
  url: string,
  task: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await task(client);
  } finally {
    await client.end();
  }
}

/** A new database, empty or with the current schema, and its URL. */
export async function createDatabase(kind: 'empty' | 'migrated'): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asSuperuser(`create database ${name}${kind === 'migrated' ? ' template template_finance' : ''}`);
  return urlOf(name);
}

export interface Harness {
  readonly runtime: Runtime;
  readonly databaseUrl: string;
  /** How many audit events other tests have left behind. */
  readonly auditedBefore: number;
  /** One unit of work, as a door would run it. */
  perform<Result>(task: (work: Work) => Promise<Result>, options?: { dryRun?: boolean }): Promise<Result>;
  /** SQL outside any unit of work, for looking and for breaking things. */
  query<Row extends QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
}

/** What the environment of a test needs beside a database. */
export const SECRET_KEY_BASE = 'a-secret-that-only-the-tests-know-0123456789';

/** A runtime on a database of this test file's own, emptied before each test unless its tests share what is in it. */
export function useRuntime(env: Record<string, string> = {}, { shared = false } = {}): Harness {
  let runtime: Runtime | undefined;
  let databaseUrl = '';
  let auditedBefore = 0;
  const started = () => {
    if (!runtime) throw new Error('the runtime starts in beforeAll');
    return runtime;
  };

  beforeAll(async () => {
    databaseUrl = await createDatabase('migrated');
    const config = loadConfig({ DATABASE_URL: databaseUrl, SECRET_KEY_BASE, ...env });
    runtime = await createRuntime(config, { log: createLog('silent', 2), statementTimeout: 8_000 });
  });
  beforeEach(async () => {
    if (shared) return;
    const tables = [
      'families',
      'rate_limits',
      'password_resets',
      'sso_providers',
      'blocked_identities',
      'pending_logins',
      'used_assertions',
      'provider_metadata',
    ];
    await started().pool.query(tables.map((table) => `delete from ${table};`).join(' '));
    // Nobody can empty the audit log, not even a test.
    const { rows } = await started().pool.query('select count(*)::integer as count from audit_events');
    auditedBefore = rows[0].count;
  });
  afterAll(async () => {
    await runtime?.close();
    await asSuperuser(`drop database if exists ${new URL(databaseUrl).pathname.slice(1)} with (force)`);
  });

  return {
    get runtime() {
      return started();
    },
    get auditedBefore() {
      return auditedBefore;
    },
    get databaseUrl() {
      return databaseUrl;
    },
    perform: (task, options = {}) => perform(started(), { actor: { kind: 'system' }, ...options }, task),
    query: async (sql, values) => (await started().pool.query(sql, values)).rows,
  };
}

function urlOf(database: string): string {
  const url = new URL(inject('superuserUrl'));
  url.pathname = `/${database}`;
  return url.href;
}
