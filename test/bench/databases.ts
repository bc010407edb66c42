import { join } from 'node:path';
import { Client } from 'pg';
import { migrate } from '#src/database/migrate.ts';
import { joinEmbeddedDatabase } from '#src/embedded/join-embedded-database.ts';
import { connectionTo } from '#src/kernel/connection.ts';
import { createLog } from '#src/kernel/log.ts';

/** Where the bench keeps its own databases; whatever it makes is removed through `cleanup`. */
export interface Databases {
  /** A new, migrated database, in place of any that an earlier run left. Answers with its URL. */
  create(name: string): Promise<string>;
}

export interface DatabasesParts {
  /** A server whose role may create databases; without it an embedded one under `folder`. */
  url: string | undefined;
  folder: string;
  cleanup: AsyncDisposableStack;
}

export async function openDatabases({ url, folder, cleanup }: DatabasesParts): Promise<Databases> {
  const serverUrl = url ?? (await startEmbedded(folder, cleanup));
  const run = async (text: string) => {
    const client = await openClient(serverUrl);
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  };
  return {
    create: async (name) => {
      await run(`drop database if exists ${name} with (force)`);
      await run(`create database ${name}`);
      cleanup.defer(() => run(`drop database if exists ${name} with (force)`));
      const created = new URL(serverUrl);
      created.pathname = `/${name}`;
      await migrate(created.href, createLog('silent', 2));
      return created.href;
    },
  };
}

async function startEmbedded(folder: string, cleanup: AsyncDisposableStack): Promise<string> {
  const database = await joinEmbeddedDatabase({ dataDir: join(folder, 'data') });
  cleanup.defer(() => database.release());
  return database.superuserConnectionString;
}

/** A connection for statements that take as long as they like. */
export async function openClient(url: string): Promise<Client> {
  const client = new Client({ ...connectionTo(url), application_name: 'bench' });
  // A connection that breaks is told by the statement on it.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
