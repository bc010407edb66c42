import type { Command } from 'commander';
import { UsageError, Verdict } from '#cli/errors.ts';
import { createIo, type Io, type Streams, warn } from '#cli/io.ts';
import type { ResultFile } from '#cli/result-file.ts';
import type { Flags } from '#cli/surface.ts';
import { type Environment, loadConfig } from '#config/env.ts';
import type { Config } from '#src/kernel/config.ts';
import type { Job } from '#src/kernel/job.ts';
import type { Actor, Runtime, Work } from '#src/kernel/work.ts';
import type { RuntimeOptions } from '#src/runtime.ts';

/** The world around one command line. */
export interface Outside extends Streams {
  /** Aborted by the first SIGINT or SIGTERM, with its name as the reason. */
  readonly signal: AbortSignal;
  /** Tests give a runtime of their own. */
  readonly createRuntime?: (config: Config, options: RuntimeOptions) => Promise<Runtime>;
}

/** What a command gets: a terminal, and ways to do something. */
export interface Host {
  readonly io: Io;
  readonly env: Environment;
  readonly flags: Flags;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  /** The settings, read and checked at the first call. */
  config(): Config;
  /** The database, reached at the first call; its schema brought up to date unless told otherwise. */
  runtime(options?: { migrateFirst: boolean }): Promise<Runtime>;
  /** Runs a task that writes: one transaction, rolled back after a dry run. */
  perform<Result>(task: (work: Work) => Promise<Result>): Promise<Result>;
  /** Runs work that needs more than one transaction. */
  job<Result>(run: (job: Job) => Promise<Result>): Promise<Result>;
  /** Runs a task that only reads. */
  read<Result>(task: (work: Work) => Promise<Result>): Promise<Result>;
  /** Tells at the end that nothing was saved; `perform` does so by itself. */
  rehearse(): void;
}

export interface OpenHost extends Host {
  /** Before the command's action: checks the flags it shares with others and opens the file of --output. */
  prepare(command: Command): Promise<void>;
  /** After the action: keeps the file of --output unless the action failed altogether. */
  finish(error?: unknown): Promise<void>;
  close(): Promise<void>;
}

export function openHost(outside: Outside, flags: () => Flags): OpenHost {
  const { env, signal, stdout } = outside;
  let file: ResultFile | undefined;
  let config: Config | undefined;
  let rehearsed = false;

  const io = createIo(outside, flags, () => file ?? stdout);
  const readConfig = () => (config ??= loadConfig(env));
  const isDryRun = () => flags().dryRun ?? readConfig().dryRun;
  const databases = openDatabases(outside, flags, readConfig);

  const actor = () => flags().actor ?? (env.FINANCECTL_ACTOR?.trim() || undefined);
  const transact = transactions(databases, signal, actor);
  const noteRehearsal = () => {
    if (rehearsed) warn(io, 'DRY RUN: nothing was saved');
    rehearsed = false;
  };

  return {
    io,
    env,
    signal,
    get flags() {
      return flags();
    },
    get dryRun() {
      return isDryRun();
    },
    config: readConfig,
    runtime: ({ migrateFirst } = { migrateFirst: true }) => databases.open(migrateFirst),
    perform: async (task) => {
      const dryRun = isDryRun();
      const result = await transact(task, dryRun);
      rehearsed ||= dryRun;
      return result;
    },
    job: async (run) => {
      const dryRun = isDryRun();
      const runtime = await databases.open(true);
      rehearsed ||= dryRun;
      return run({ runtime, signal, dryRun, perform: (task) => transact(task, dryRun) });
    },
    read: (task) => transact(task, false),
    rehearse: () => {
      rehearsed = true;
    },
    prepare: async (command) => {
      checkFormat(command, flags());
      const { output, force = false } = flags();
      if (output === undefined || output === '-') return;
      const { createResultFile } = await import('#cli/result-file.ts');
      file = await createResultFile(output, { force });
    },
    finish: async (error) => {
      noteRehearsal();
      const written = file;
      file = undefined;
      if (error === undefined || error instanceof Verdict) await written?.keep();
      else await written?.discard();
    },
    close: databases.close,
  };
}

/** `--format` stands before or after the command's name, so the root takes it; the command says what it may be. */
function checkFormat(command: Command, { format, json }: Flags): void {
  if (format === undefined) return;
  const own = command.options.find(({ long }) => long === '--format');
  if (!own) throw new UsageError(`'${command.name()}' is no list: it has --json, but no --format`);
  if (!own.argChoices?.includes(format)) {
    throw new UsageError(`--format must be one of ${own.argChoices?.join(', ')}, not "${format}"`);
  }
  if (json && own.argChoices.includes('json') && format !== 'json') {
    throw new UsageError(`--json and --format ${format} contradict each other`);
  }
}

function openDatabases(outside: Outside, flags: () => Flags, readConfig: () => Config) {
  const { env, signal } = outside;
  const opened = new Map<boolean, Promise<Runtime>>();

  const connect = async (migrateFirst: boolean) => {
    const config = readConfig();
    const level = flags().debug ? 'debug' : env.LOG_LEVEL ? config.logLevel : 'warn';
    const [{ createLog }, createRuntime, { cancelOnAbort }] = await Promise.all([
      import('#src/kernel/log.ts'),
      outside.createRuntime ?? import('#src/runtime.ts').then((module) => module.createRuntime),
      import('#cli/interruption.ts'),
    ]);
    // Imports and matching may take their time: no limit on a statement.
    const options = { log: createLog(level, 2), statementTimeout: 0, migrateFirst };
    const runtime = await createRuntime(config, options);
    const unwatch = cancelOnAbort(runtime.pool, signal);
    const close = async () => {
      unwatch();
      await runtime.close();
    };
    return { ...runtime, close };
  };

  return {
    open: async (migrateFirst: boolean) => {
      const known = opened.get(migrateFirst) ?? connect(migrateFirst);
      opened.set(migrateFirst, known);
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

function transactions(
  { open }: ReturnType<typeof openDatabases>,
  signal: AbortSignal,
  reference: () => string | undefined,
) {
  return async <Result>(task: (work: Work) => Promise<Result>, dryRun: boolean): Promise<Result> => {
    const [runtime, { perform }, { interruptible }] = await Promise.all([
      open(true),
      import('#src/kernel/perform.ts'),
      import('#cli/interruption.ts'),
    ]);
    const actor: Actor = { kind: 'cli', osUser: await osUser() };
    return perform(runtime, { actor, dryRun }, interruptible(signal, actingAs(reference(), task)));
  };
}

/** The task, done in the name of the user that `reference` names, who must be allowed to at that moment. */
function actingAs<Result>(
  reference: string | undefined,
  task: (work: Work) => Promise<Result>,
): (work: Work) => Promise<Result> {
  if (reference === undefined) return task;
  return async (work) => {
    const { requireActor } = await import('#src/users/require-actor.ts');
    const userId = await requireActor(work, reference);
    return task({ ...work, actor: { ...work.actor, userId } });
  };
}

async function osUser(): Promise<string | undefined> {
  const { userInfo } = await import('node:os');
  try {
    return userInfo().username;
  } catch {
    // A container may run under a user id that has no name.
    return process.getuid?.().toString();
  }
}
