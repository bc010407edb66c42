import type { Streams } from '#cli/io.ts';
import type { Config } from '#src/kernel/config.ts';
import type { Runtime } from '#src/kernel/work.ts';
import type { RuntimeOptions } from '#src/runtime.ts';

/** The world around one command line. */
export interface Outside extends Streams {
  /** Aborted by the first SIGHUP, SIGINT or SIGTERM, with its name as the reason. */
  readonly signal: AbortSignal;
  /** The file of variables that is read, where it is there, without --config. */
  readonly standardFile?: string;
  /** Tests give a runtime of their own. */
  readonly createRuntime?: (config: Config, options: RuntimeOptions) => Promise<Runtime>;
}
