import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type QueryExecutorProvider } from 'kysely';
import { errorCode } from '#src/kernel/error-code.ts';
import { giveName } from '#src/kernel/statement.ts';
import type { Actor, Runtime, Work } from '#src/kernel/work.ts';

export interface PerformOptions {
  actor: Actor;
  /** Runs everything, then rolls it back. */
  dryRun?: boolean;
  /** Codes of other errors after which the task may find things changed, and succeed when run again. */
  retryAfter?: readonly string[];
}

/** A deadlock or a serialization conflict: the same transaction may well succeed when run again. */
const RETRYABLE = new Set(['40001', '40P01']);
const ATTEMPTS = 3;

/** Runs `task` as one database transaction: all of it is saved, or nothing is. */
export async function perform<Result>(
  runtime: Runtime,
  { actor, dryRun = false, retryAfter = [] }: PerformOptions,
  task: (work: Work) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptTask(runtime, actor, dryRun, task);
    } catch (error) {
      const code = errorCode(error) ?? '';
      if (attempt === ATTEMPTS || !(RETRYABLE.has(code) || retryAfter.includes(code))) throw error;
    }
  }
}

async function attemptTask<Result>(
  runtime: Runtime,
  actor: Actor,
  dryRun: boolean,
  task: (work: Work) => Promise<Result>,
): Promise<Result> {
  const em = await runtime.entityManager();
  await em.begin();
  try {
    const counted: Parameters<Work['count']>[] = [];
    const work: Work = {
      em,
      actor,
      cipher: runtime.cipher,
      now: () => runtime.now(),
      count: (...entry) => void counted.push(entry),
      sql: (text, values) => runSql(em, text, values),
    };
    const result = await task(work);
    await em.flush();
    if (dryRun) {
      await em.rollback();
    } else {
      await em.commit();
      for (const entry of counted) runtime.tally.add(...entry);
    }
    return result;
  } catch (error) {
    // A lost connection cannot be rolled back either; the first error is the one that matters.
    await em.rollback().catch(() => undefined);
    throw error;
  }
}

async function runSql<Row extends object>(
  em: SqlEntityManager,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  // em.execute() would write the values into the text; the transaction's own executor sends them as parameters.
  const transaction = em.getTransactionContext<QueryExecutorProvider>();
  if (!transaction) throw new Error('no transaction is open');
  giveName(text);
  const { rows } = await transaction.getExecutor().executeQuery<Row>(CompiledQuery.raw(text, [...values]));
  return rows;
}
