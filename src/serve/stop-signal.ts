import type { Log } from '#src/kernel/log.ts';

const FAILED = 1;
/** npm passes on the Ctrl-C that the terminal has already sent to the whole group: that is one signal, not two. */
const ONE_SIGNAL_MS = 500;

/** Resolves at the first SIGTERM or SIGINT, also one that comes during the start; the second ends the process. */
export function stopSignal(log: Log): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (askedAt !== undefined && performance.now() - askedAt < ONE_SIGNAL_MS) return;
        if (askedAt !== undefined) process.exit(FAILED);
        askedAt = performance.now();
        log.info({ signal }, 'server_stopping');
        resolve();
      });
    }
  });
}
