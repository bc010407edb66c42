import { writeFile } from 'node:fs/promises';
import { loadConfig } from '#config/env.ts';
import { apiKeyDigest } from '#src/auth/api-key-value.ts';
import { keyReader } from '#src/auth/readers.ts';
import { createLog } from '#src/kernel/log.ts';
import { findTransaction } from '#src/ledger/find-transaction.ts';
import { listRejectedTransfers } from '#src/ledger/list-rejected-transfers.ts';
import { createRuntime } from '#src/runtime.ts';
import type { Ledger } from '#test/bench/fill-ledger.ts';

/**
 * Writes the statements of both operations, every combination of filters, as PostgreSQL prepared them for the
 * product: so the bare server runs the same SQL without sharing the code that puts it together.
 */
export async function captureStatements(url: string, { key }: Ledger, file: string): Promise<void> {
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
    const { rows } = await runtime.pool.query<{ name: string; statement: string }>(
      'select name, statement from pg_prepared_statements order by name',
    );
    const texts = Object.fromEntries(rows.map(({ name, statement }) => [name, statement]));
    await writeFile(file, JSON.stringify(texts));
  } finally {
    await runtime.close();
  }
}
