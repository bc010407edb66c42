import type { Runtime } from '#src/kernel/work.ts';

const EVERY_MS = 60_000;
const nextTurns = new WeakMap<Runtime, Map<string, number>>();

/** Runs a statement that removes what has expired: in the background, and at most once a minute and process. */
export function tidy(runtime: Runtime, statement: string): void {
  const turns = nextTurns.get(runtime) ?? new Map<string, number>();
  nextTurns.set(runtime, turns);
  const at = runtime.now().getTime();
  if (at < (turns.get(statement) ?? 0)) return;
  turns.set(statement, at + EVERY_MS);
  runtime.pool
    .query(statement)
    .catch((error: Error) => runtime.log.warn({ reason: error.message }, 'not_tidied'));
}
