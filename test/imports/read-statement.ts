import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStatement } from '#src/imports/readers/open-statement.ts';
import {
  emptyBatch,
  type ReadOptions,
  type Statement,
  type StatementBatch,
} from '#src/imports/readers/statement.ts';
import { AppError } from '#src/kernel/errors.ts';

export type Read = StatementBatch & Pick<Statement, 'format' | 'detected'>;

/** Reads a whole file; messages call it `f`. */
export async function readFixture(name: string, options: Partial<ReadOptions> = {}): Promise<Read> {
  return readAll(join(import.meta.dirname, '../fixtures/statements', name), options);
}

/** Reads what is given as if it were a file; messages call it `f`. */
export async function readContent(
  content: string | Uint8Array,
  options: Partial<ReadOptions> = {},
): Promise<Read> {
  const folder = mkdtempSync(join(tmpdir(), 'statement-'));
  try {
    writeFileSync(join(folder, 'f'), content);
    return await readAll(join(folder, 'f'), options);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The refusal of the whole file; fails when it is read. */
export async function refusalOf(
  content: string | Uint8Array,
  options: Partial<ReadOptions> = {},
): Promise<AppError> {
  try {
    await readContent(content, options);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the file was read');
}

async function readAll(file: string, options: Partial<ReadOptions>): Promise<Read> {
  const { format, detected, batches } = await openStatement({
    file,
    label: 'f',
    currency: 'USD',
    ...options,
  });
  const all = emptyBatch();
  for await (const batch of batches) {
    all.rows.push(...batch.rows);
    all.problems.push(...batch.problems);
    all.notices.push(...batch.notices);
  }
  return { format, detected, ...all };
}
