import { describeError } from '#cli/describe-error.ts';
import { CliError, PartlyDone } from '#cli/errors.ts';
import type { Host } from '#cli/host.ts';
import { warn } from '#cli/io.ts';

type Outcome<Result> = { result: Result } | { error: unknown; line: string };

/**
 * Does the same to each of `items`, going on after a failure; `parallel` of them at a time. Answers with what came of
 * those that worked, in the order of the items. Throws when any failed: the error itself when there was only one item,
 * else a sum. Each failure is told when it happens; with --json they are in the sum, so that stderr stays one document.
 */
export async function forEachOf<Result>(
  host: Host,
  items: readonly string[],
  action: (item: string) => Promise<Result>,
  done: (results: Result[]) => void | Promise<void>,
  { parallel = 1 }: { parallel?: number } = {},
): Promise<void> {
  const outcomes: Outcome<Result>[] = [];
  // All take from one iterator, each item once.
  const waiting = items.entries();
  const work = async () => {
    for (const [index, item] of waiting)
      outcomes[index] = await attempt(host, item, action, items.length === 1);
  };
  // After an interruption nothing may still be running when the command ends.
  const workers = await Promise.allSettled(Array.from({ length: parallel }, work));
  const broken = workers.find(({ status }) => status === 'rejected');
  if (broken?.status === 'rejected') throw broken.reason;

  const results = outcomes.flatMap((outcome) => ('result' in outcome ? [outcome.result] : []));
  const failures = outcomes.flatMap((outcome) => ('result' in outcome ? [] : [outcome]));
  if (results.length > 0) await done(results);
  const [first] = failures;
  if (first === undefined) return;
  const errors = host.flags.json ? failures.map(({ line }) => line) : undefined;
  if (results.length > 0)
    throw new PartlyDone(`${failures.length} of ${items.length} failed`, undefined, errors);
  const { code, exitCode } = describeError(first.error);
  throw new CliError(code, exitCode, `all ${items.length} failed`, undefined, errors);
}

async function attempt<Result>(
  host: Host,
  item: string,
  action: (item: string) => Promise<Result>,
  isOnly: boolean,
): Promise<Outcome<Result>> {
  try {
    return { result: await action(item) };
  } catch (error) {
    if (isOnly || host.signal.aborted) throw error;
    const { message } = describeError(error);
    const line = message.startsWith(item) ? message : `${item}: ${message}`;
    if (!host.flags.json) warn(host.io, line);
    return { error, line };
  }
}
