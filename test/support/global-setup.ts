import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '#src/database/migrate.ts';
import { joinEmbeddedDatabase } from '#src/embedded/join-embedded-database.ts';
import { createLog } from '#src/kernel/log.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a superuser reaches the tests' own PostgreSQL. */
    superuserUrl: string;
  }
}

/** One PostgreSQL of its own for the whole run, with a migrated template that every worker copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'finance-test-'));
  const database = await joinEmbeddedDatabase({ dataDir });
  const superuserUrl = database.superuserConnectionString;

  const client = new Client({ connectionString: superuserUrl });
  await client.connect();
  // What is lost with the machine may be lost: nobody needs it afterwards.
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    await client.query(`alter system set ${setting} = off`);
  }
  await client.query('select pg_reload_conf()');
  await client.query('create database template_finance');
  await client.end();
  await migrate(databaseUrl(superuserUrl, 'template_finance'), createLog('silent', 2));
  project.provide('superuserUrl', superuserUrl);

  return async () => {
    await database.release();
    await rm(dataDir, { recursive: true, force: true });
  };
}

function databaseUrl(url: string, name: string): string {
  const parsed = new URL(url);
  parsed.pathname = `/${name}`;
  return parsed.href;
}
