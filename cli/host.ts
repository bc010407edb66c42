import type { Command } from 'commander';
import { closingNotes } from '#cli/closing-notes.ts';
import { Verdict } from '#cli/errors.ts';
import { chooseWriting, type Writing, writeJson } from '#cli/formats.ts';
import { createIo, type Io } from '#cli/io.ts';
import { lazySettings } from '#cli/lazy-settings.ts';
import { openDatabases, type Schema, UP_TO_DATE } from '#cli/open-databases.ts';
import type { Outside } from '#cli/outside.ts';
import type { ResultFile } from '#cli/result-file.ts';
import type { Flags } from '#cli/surface.ts';
import { transactions } from '#cli/transactions.ts';
import type { Environment } from '#config/env.ts';
import type { LoadedEnvironment } from '#config/environment-file.ts';
import type { Config } from '#src/kernel/config.ts';
import type { Job } from '#src/kernel/job.ts';
import type { Runtime, Work } from '#src/kernel/work.ts';

/** What a command gets: a terminal, and ways to do something. */
export interface Host {
  readonly io: Io;
  /** The variables, those of the file of --config among them. */
  readonly environment: LoadedEnvironment;
  readonly env: Environment;
  readonly flags: Flags;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  /** A result as the text of one document. */
  document(value: unknown): string;
  /** The settings, read and checked at the first call. */
  config(): Config;
  /** The database, reached at the first call; its schema brought up to date unless told otherwise. */
  runtime(options?: Schema): Promise<Runtime>;
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

export function openHost(outside: Outside, given: () => Flags): OpenHost {
  const { signal, stdout } = outside;
  const result = resultOf(given);
  let writing: Writing = { isDocument: false, document: writeJson };

  const flags = () => (writing.isDocument ? { ...given(), json: true as const } : given());
  const io = createIo(outside, flags, () => result.file() ?? stdout);
  const settings = lazySettings(outside, flags, io);
  const { readEnvironment, readConfig, isDryRun, readActor } = settings;
  const databases = openDatabases(outside, flags, settings);

  const transact = transactions(databases, signal, readActor);
  const notes = closingNotes(io, readActor);

  return {
    io,
    signal,
    get environment() {
      return readEnvironment();
    },
    get env() {
      return readEnvironment().env;
    },
    get flags() {
      return flags();
    },
    get dryRun() {
      return isDryRun();
    },
    document: (value) => writing.document(value),
    config: readConfig,
    runtime: (schema = UP_TO_DATE) => databases.open(schema),
    perform: async (task) => {
      const dryRun = isDryRun();
      const result = await transact(task, dryRun);
      notes.wrote({ dryRun });
      return result;
    },
    job: async (run) => {
      const dryRun = isDryRun();
      const runtime = await databases.open(UP_TO_DATE);
      notes.wrote({ dryRun });
      return run({ runtime, signal, dryRun, perform: (task) => transact(task, dryRun) });
    },
    read: (task) => transact(task, false),
    rehearse: () => notes.wrote({ dryRun: true }),
    prepare: async (command) => {
      notes.begin(command);
      writing = await chooseWriting(command, given());
      await result.open();
    },
    finish: async (error) => {
      const hasWorked = error === undefined || error instanceof Verdict;
      notes.tell(hasWorked);
      await result.close(hasWorked);
    },
    close: databases.close,
  };
}

/** The file of --output, if there is one. */
function resultOf(flags: () => Flags) {
  let file: ResultFile | undefined;
  return {
    file: () => file,
    open: async () => {
      const { output, force = false } = flags();
      if (output === undefined || output === '-') return;
      const { createResultFile } = await import('#cli/result-file.ts');
      file = await createResultFile(output, { force });
    },
    close: async (keep: boolean) => {
      const written = file;
      file = undefined;
      await (keep ? written?.keep() : written?.discard());
    },
  };
}
