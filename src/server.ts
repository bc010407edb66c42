import { createLog } from '#src/kernel/log.ts';
import { complain } from '#src/serve/complain.ts';
import { loadSettings } from '#src/serve/load-settings.ts';
import { stopSignal } from '#src/serve/stop-signal.ts';

try {
  await main();
  // Whatever is left has nothing to say any more, a hanging statement for example.
  process.exit(0);
} catch (error) {
  await complain(error);
  process.exit(1);
}

async function main(): Promise<void> {
  const { config, warning } = loadSettings(process.env);
  const log = createLog(config.logLevel, 1);
  if (warning) log.warn({ warning }, 'settings_questionable');
  const asked = stopSignal(log);

  if (config.http.workers > 1) {
    const { leadWorkers } = await import('#src/serve/lead-workers.ts');
    await leadWorkers(config, log, asked);
  } else {
    const { serveAlone } = await import('#src/serve/serve-alone.ts');
    await serveAlone(config, log, asked);
  }
  log.info('server_stopped');
}
