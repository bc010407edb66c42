import { availableParallelism } from 'node:os';
import { AppError } from '#src/kernel/errors.ts';

/** More at once would only fill the thread pool that DNS and files need too. */
const AT_ONCE = Math.min(availableParallelism(), 2);
const WAITING = 40;

let running = 0;
const queue: (() => void)[] = [];

/** Runs a computation that costs a core for a while: a few at once, some waiting, and `service_unavailable` beyond. */
export async function throughGate<Result>(compute: () => Promise<Result>): Promise<Result> {
  if (running >= AT_ONCE) await takePlace();
  else running += 1;
  try {
    return await compute();
  } finally {
    // A place is handed on rather than given back, so nobody who comes just now gets in front.
    const next = queue.shift();
    if (next) next();
    else running -= 1;
  }
}

function takePlace(): Promise<void> {
  if (queue.length >= WAITING) {
    throw new AppError(
      'service_unavailable',
      'Too many people are signing in at this moment. Try again shortly.',
    );
  }
  return new Promise((resolve) => queue.push(resolve));
}
