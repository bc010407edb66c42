import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '#config/env.ts';
import { explainRefusal } from '#src/database/explain-refusal.ts';
import { migrate } from '#src/database/migrate.ts';
import { MIGRATIONS_PATH, readMigrationStatus } from '#src/database/migration-status.ts';
import { importStatement } from '#src/imports/import-statement.ts';
import { createLog } from '#src/kernel/log.ts';
import { perform } from '#src/kernel/perform.ts';
import { createAccount } from '#src/ledger/create-account.ts';
import { createFamily } from '#src/ledger/create-family.ts';
import { createOrm } from '#src/orm.ts';
import { createRuntime } from '#src/runtime.ts';
import { createDatabase, useRuntime, withClient } from '#test/support/database.ts';
import { statementFile } from '#test/support/given.ts';

const log = createLog('silent', 2);

const open = (env: Record<string, string>) =>
  createRuntime(loadConfig(env), { log, statementTimeout: 8_000 });

describe('migrate', () => {
  test('eight times at once on an empty database: one runs the migrations, all succeed', async () => {
    const url = await createDatabase('empty');

    const ran = await Promise.all(Array.from({ length: 8 }, () => migrate(url, log)));

    expect(ran.filter((names) => names.length > 0)).toHaveLength(1);
    expect(await withClient(url, readMigrationStatus)).toMatchObject({ pending: [], unknown: [] });
  });

  test('of a current database does nothing', async () => {
    expect(await migrate(await createDatabase('migrated'), log)).toEqual([]);
  });

  test('refuses a database that a newer release has changed', async () => {
    const url = await createDatabase('migrated');
    await withClient(url, (client) =>
      client.query(`insert into schema_migrations (name) values ('Migration20990101000000_later')`),
    );

    const refusal = {
      code: 'configuration_invalid',
      message: expect.stringContaining('Migration20990101000000_later'),
    };
    await expect(migrate(url, log)).rejects.toMatchObject(refusal);
    await expect(
      createRuntime(loadConfig({ DATABASE_URL: url }), { log, statementTimeout: 1_000 }),
    ).rejects.toMatchObject(refusal);
  });

  test('refuses to leave the migrated database for another', async () => {
    const env = {
      DATABASE_URL: await createDatabase('empty'),
      MIGRATION_DATABASE_URL: await createDatabase('empty'),
    };

    await expect(createRuntime(loadConfig(env), { log, statementTimeout: 1_000 })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining('not in the database of DATABASE_URL'),
    });
  });

  test('can be taken back', async () => {
    const url = await createDatabase('migrated');
    const statements: string[] = [];
    for (const file of readdirSync(MIGRATIONS_PATH).toSorted().toReversed()) {
      const [Migration] = Object.values(await import(join(MIGRATIONS_PATH, file)));
      const migration = Object.create((Migration as { prototype: object }).prototype);
      migration.addSql = (sql: string) => statements.push(sql);
      migration.down();
    }
    await withClient(url, (client) => client.query(statements.join('\n')));

    const left = await withClient(url, (client) =>
      client.query(`select table_name from information_schema.tables where table_schema = 'public'`),
    );
    expect(left.rows).toEqual([{ table_name: 'schema_migrations' }]);
  });
});

describe('a role that is not the owner', () => {
  const name = `app_${randomUUID().replaceAll('-', '')}`;
  let owner = '';
  let env = { DATABASE_URL: '', MIGRATION_DATABASE_URL: '' };
  const asOwner = (sql: string) => withClient(owner, (client) => client.query(sql));

  beforeAll(async () => {
    owner = await createDatabase('empty');
    await asOwner(`create role ${name} login password 'secret'; revoke create on schema public from public`);
    const url = Object.assign(new URL(owner), { username: name, password: 'secret' });
    env = { DATABASE_URL: url.href, MIGRATION_DATABASE_URL: owner };
  });
  afterAll(() => asOwner(`drop owned by ${name}; drop role ${name}`));

  test('is told that it cannot migrate, and what it lacks afterwards', async () => {
    const denied = { code: 'configuration_invalid', hint: expect.stringContaining('ARCHITECTURE.md') };

    await expect(open({ DATABASE_URL: env.DATABASE_URL })).rejects.toMatchObject(denied);
    await expect(open(env)).rejects.toMatchObject(denied);
  });

  test('needs the grants that ARCHITECTURE.md lists, and no more', async () => {
    const grants = /`(grant [^`]+) to finance_app`/.exec(readFileSync('ARCHITECTURE.md', 'utf8'))?.[1];
    await migrate(owner, log);
    await asOwner(`${grants} to ${name}`);

    const runtime = await open(env);
    const { account, imported } = await perform(runtime, { actor: { kind: 'system' } }, async (work) => {
      const { id: familyId } = await createFamily(work, { name: 'Smith', currency: 'USD' });
      await createAccount(work, { familyId, name: 'Checking', accountType: 'depository' });
      const file = await statementFile([['2026-01-02', '-1.00', 'coffee']]);
      return importStatement(work, { familyId, account: 'Checking', file });
    });
    await runtime.close();

    expect({ account: account.name, imported }).toEqual({ account: 'Checking', imported: 1 });
  });
});

test.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', 'certificate is not trusted'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'wrong name', 'certificate is not trusted'],
  [undefined, 'The server does not support SSL connections', 'offers no TLS'],
])('%s is a mistake in the settings', (code, message, told) => {
  const explained = explainRefusal(Object.assign(new Error(message), code && { code }));

  expect(explained).toMatchObject({
    code: 'configuration_invalid',
    message: expect.stringContaining(told),
    hint: expect.stringContaining('ssl'),
  });
});

describe('entities', () => {
  const harness = useRuntime();

  test('describe exactly the columns the migrations make', async () => {
    const entities = [
      ...createOrm(harness.runtime.pool, harness.runtime.config.database).getMetadata().getAll().values(),
    ];
    const columns = await harness.query<{ table_name: string; column_name: string; nullable: boolean }>(
      `select table_name, column_name, is_nullable = 'YES' as nullable from information_schema.columns
       where table_schema = 'public'`,
    );
    expect(entities.length).toBeGreaterThan(10);

    for (const { tableName, properties } of entities) {
      const described = Object.values(properties).map(
        ({ fieldNames, nullable = false }) => `${fieldNames.join()} ${nullable ? 'null' : 'not null'}`,
      );
      const real = columns
        .filter(({ table_name }) => table_name === tableName)
        .map(({ column_name, nullable }) => `${column_name} ${nullable ? 'null' : 'not null'}`);
      expect(real, tableName).toEqual(expect.arrayContaining(described));
      const kept = real
        .filter((column) => !described.includes(column))
        .map((column) => column.split(' ')[0])
        .toSorted((a = '', b = '') => a.localeCompare(b));
      expect({ [tableName]: kept }).toEqual({ [tableName]: KEPT_BY_TRIGGERS[tableName] ?? [] });
    }
  });
});

/** Columns that only the database writes. */
const KEPT_BY_TRIGGERS: Record<string, string[]> = {
  families: ['rejected_transfers_count'],
  rejected_transfers: ['inflow_account_id', 'inflow_date', 'outflow_account_id', 'outflow_date'],
};
