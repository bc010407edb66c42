import { type Io, warn } from '#cli/io.ts';
import type { Outside } from '#cli/outside.ts';
import type { Flags } from '#cli/surface.ts';
import { loadConfig } from '#config/env.ts';
import { type LoadedEnvironment, loadEnvironment } from '#config/environment-file.ts';
import type { Config } from '#src/kernel/config.ts';

export interface Settings {
  readEnvironment: () => LoadedEnvironment;
  readConfig: () => Config;
  isDryRun: () => boolean;
  /** Whom --actor names, or FINANCECTL_ACTOR. */
  readActor: () => string | undefined;
}

/** What flags, environment and file decide together; each is read when it is asked for. */
export function lazySettings({ env, standardFile }: Outside, flags: () => Flags, io: Io): Settings {
  let environment: LoadedEnvironment | undefined;
  let config: Config | undefined;

  const load = () => {
    const loaded = loadEnvironment({ env, file: flags().config, standardFile });
    if (loaded.warning) warn(io, `warning: ${loaded.warning}`);
    return loaded;
  };
  const readEnvironment = () => (environment ??= load());
  const readConfig = () => (config ??= loadConfig(readEnvironment().env));
  return {
    readEnvironment,
    readConfig,
    isDryRun: () => flags().dryRun ?? readConfig().dryRun,
    readActor: () => flags().actor ?? (readEnvironment().env.FINANCECTL_ACTOR?.trim() || undefined),
  };
}
