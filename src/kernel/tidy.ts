import type { Runtime } from '#src/kernel/work.ts';

const EVERY_MS = 60_000;
/** As many as a statement removes at a time. */
const BATCH = 1_000;
const nextTurns = new WeakMap<Runtime, Map<string, number>>();

/**
 * Runs a statement that removes what has expired: in the background, and at most once a minute and process, but at the
 * next call when it may have left some, or whoever makes many would be faster than what removes them.
 */
export function tidy(runtime: Runtime, statement: string): void {
  const turns = nextTurns.get(runtime) ?? new Map<string, number>();
  nextTurns.set(runtime, turns);
  const at = runtime.now().getTime();
  if (at < (turns.get(statement) ?? 0)) return;
  turns.set(statement, at + EVERY_MS);
  void remove(runtime, statement, turns);
}

async function remove({ pool, log }: Runtime, statement: string, turns: Map<string, number>): Promise<void> {
  try {
    const { rowCount } = await pool.query(statement);
    if (rowCount !== null && rowCount >= BATCH) turns.delete(statement);
  } catch (error) {
    log.warn({ reason: error instanceof Error ? error.message : undefined }, 'not_tidied');
  }
}
