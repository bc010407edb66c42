import { describeError } from '#cli/describe-error.ts';
import { CliError, PartlyDone } from '#cli/errors.ts';
import type { Host } from '#cli/host.ts';
import { warn } from '#cli/io.ts';

/**
 * Does the same to each of `items`, going on after a failure. Answers with what came of those that worked. Throws
 * when any failed: the error itself when there was only one item, else a sum. Each failure is told when it happens;
 * with --json they are in the sum, so that stderr stays one document.
 */
export async function forEachOf<Result>(
  host: Host,
  items: readonly string[],
  action: (item: string) => Promise<Result>,
  done: (results: Result[]) => void | Promise<void>,
): Promise<void> {
  const results: Result[] = [];
  const failures: unknown[] = [];
  const told: string[] = [];
  for (const item of items) {
    try {
      results.push(await action(item));
    } catch (error) {
      if (items.length === 1 || host.signal.aborted) throw error;
      failures.push(error);
      const { message } = describeError(error);
      const line = message.startsWith(item) ? message : `${item}: ${message}`;
      if (host.flags.json) told.push(line);
      else warn(host.io, line);
    }
  }
  if (results.length > 0) await done(results);
  const [first] = failures;
  if (first === undefined) return;
  const errors = told.length > 0 ? told : undefined;
  if (results.length > 0)
    throw new PartlyDone(`${failures.length} of ${items.length} failed`, undefined, errors);
  const { code, exitCode } = describeError(first);
  throw new CliError(code, exitCode, `all ${items.length} failed`, undefined, errors);
}
