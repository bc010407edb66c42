import type { Settings } from '#cli/lazy-settings.ts';
import type { Outside } from '#cli/outside.ts';
import type { Flags } from '#cli/surface.ts';
import type { Runtime } from '#src/kernel/work.ts';

export interface Schema {
  migrateFirst: boolean;
  /** The last migration to run; default: all of them. */
  migrateTo?: string | undefined;
}

export const UP_TO_DATE: Schema = { migrateFirst: true };

export interface Databases {
  /** The same at each call for the same schema. */
  open: (schema: Schema) => Promise<Runtime>;
  close: () => Promise<void>;
}

export function openDatabases(
  outside: Outside,
  flags: () => Flags,
  { readEnvironment, readConfig, isDryRun }: Settings,
): Databases {
  const { signal } = outside;
  const opened = new Map<string, Promise<Runtime>>();

  const connect = async (schema: Schema) => {
    const config = readConfig();
    const level = flags().debug ? 'debug' : readEnvironment().env.LOG_LEVEL ? config.logLevel : 'warn';
    const [{ createLog }, createRuntime, { cancelOnAbort }] = await Promise.all([
      import('#src/kernel/log.ts'),
      outside.createRuntime ?? import('#src/runtime.ts').then((module) => module.createRuntime),
      import('#cli/interruption.ts'),
    ]);
    // Imports and matching may take their time: no limit on a statement.
    const options = {
      log: createLog(level, 2),
      statementTimeout: 0,
      ...schema,
      isRehearsal: isDryRun(),
    };
    const runtime = await createRuntime(config, options);
    const unwatch = cancelOnAbort(runtime.pool, signal);
    const close = async () => {
      unwatch();
      await runtime.close();
    };
    return { ...runtime, close };
  };

  return {
    open: async (schema: Schema) => {
      const key = JSON.stringify(schema);
      const known = opened.get(key) ?? connect(schema);
      opened.set(key, known);
      const runtime = await known;
      if (signal.aborted) throw new Error('interrupted');
      return runtime;
    },
    close: async () => {
      const runtimes = await Promise.allSettled(opened.values());
      for (const result of runtimes) {
        if (result.status === 'fulfilled') await result.value.close();
      }
    },
  };
}
