import { writeFile } from 'node:fs/promises';
import type { PoolConfig } from 'pg';
import { loadConfig } from '#config/env.ts';
import { apiKeyDigest } from '#src/auth/api-key-value.ts';
import { lookUpSession } from '#src/auth/look-up-session.ts';
import { keyReader } from '#src/auth/readers.ts';
import { createLog } from '#src/kernel/log.ts';
import { createPool } from '#src/kernel/pool.ts';
import { newToken } from '#src/kernel/token.ts';
import type { Runtime } from '#src/kernel/work.ts';
import { findTransaction } from '#src/ledger/find-transaction.ts';
import { listRejectedTransfers } from '#src/ledger/list-rejected-transfers.ts';
import { createRuntime } from '#src/runtime.ts';
import type { Ledger } from '#test/bench/fill-ledger.ts';

/** What the bare server is started with. */
export interface BareSettings {
  pool: PoolConfig;
  /** By name. */
  statements: Record<string, string>;
}

/** As src/server.ts has it. */
const STATEMENT_TIMEOUT = 8_000;

/**
 * Writes the statements of both operations, every combination of filters, and of the session check, as PostgreSQL
 * prepared them for the product, and the options of the product's pool: so the bare server has both the same without any of the code.
 */
export async function writeBareSettings(url: string, { key }: Ledger, file: string): Promise<void> {
  const config = loadConfig({ DATABASE_URL: url, DATABASE_POOL_SIZE: '1' });
  const runtime = await createRuntime(config, { log: createLog('silent', 2), statementTimeout: 0 });
  try {
    const digest = apiKeyDigest(key);
    if (!digest) throw new Error('the key is none');
    const reader = keyReader(runtime, { digest, needs: 'read' }, () => undefined);
    const nobody = '00000000-0000-0000-0000-000000000000';
    for (const accountId of [undefined, nobody]) {
      for (const startDate of [undefined, '2021-01-01']) {
        for (const endDate of [undefined, '2021-01-01']) {
          await listRejectedTransfers(reader, { accountId, startDate, endDate }, { page: 1, perPage: 1 });
        }
      }
    }
    await findTransaction(reader, nobody).catch(() => undefined);
    await lookUpSession(runtime, newToken());
    const { rows } = await runtime.pool.query<{ name: string; statement: string }>(
      'select name, statement from pg_prepared_statements order by name',
    );
    const statements = Object.fromEntries(rows.map(({ name, statement }) => [name, statement]));
    await writeFile(
      file,
      JSON.stringify({ pool: poolOptions(url, runtime), statements } satisfies BareSettings),
    );
  } finally {
    await runtime.close();
  }
}

function poolOptions(url: string, { log }: Runtime): PoolConfig {
  const size = loadConfig({}).database.poolSize;
  const pool = createPool(url, { size, applicationName: 'bare', statementTimeout: STATEMENT_TIMEOUT }, log);
  // Nothing is connected yet. Every statement brings its own types.
  return { ...pool.options, types: undefined };
}
