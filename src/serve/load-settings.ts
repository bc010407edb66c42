import { parseArgs } from 'node:util';
import { type Environment, loadConfig } from '#config/env.ts';
import { loadEnvironment } from '#config/environment-file.ts';
import { STANDARD_FILE } from '#config/standard-file.ts';
import type { Config } from '#src/kernel/config.ts';
import { AppError } from '#src/kernel/errors.ts';

interface LoadedSettings {
  config: Config;
  /** What somebody should know about where they come from. */
  warning: string | undefined;
}

/** The settings of the server, from the environment and from the file that `--config` names, checked once. */
export function loadSettings(processEnv: Environment): LoadedSettings {
  const { env, warning } = loadEnvironment({
    env: processEnv,
    file: configFile(),
    standardFile: STANDARD_FILE,
  });
  return { config: loadConfig(env, { serving: true }), warning };
}

/** What `--config` names; the server takes no other argument. */
function configFile(): string | undefined {
  try {
    return parseArgs({ options: { config: { type: 'string' } } }).values.config;
  } catch (error) {
    throw new AppError('configuration_invalid', error instanceof Error ? error.message : String(error), {
      hint: "finance-server takes --config FILE and nothing else; 'financectl help environment' lists its settings.",
      cause: error,
    });
  }
}
