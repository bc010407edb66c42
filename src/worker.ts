import { createLog } from '#src/kernel/log.ts';
import { complain } from '#src/serve/complain.ts';
import { loadSettings } from '#src/serve/load-settings.ts';
import { serveAsWorker } from '#src/serve/serve-as-worker.ts';

/** One of several processes that answer requests: `src/serve/lead-workers.ts` starts it. */
try {
  const { config } = loadSettings(process.env);
  await serveAsWorker(config, createLog(config.logLevel, 1));
  process.exit(0);
} catch (error) {
  await complain(error);
  process.exit(1);
}
