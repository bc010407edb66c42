import type { Argument, Command, Option } from 'commander';
import { knownBy, type NameKind } from '#cli/commands/completion/name-kinds.ts';

interface Candidate {
  value: string;
  about?: string;
}

/** What may stand where the cursor is. */
export interface Completions {
  candidates: Candidate[];
  /** Any file may. */
  files: boolean;
}

export interface CompletionSources {
  /** Reads the commands of a group into the tree. */
  load: (group: Command) => Promise<void>;
  /** Names of things that exist, all or those that begin with `prefix`. */
  names: (kind: NameKind, prefix: string) => Promise<readonly string[]>;
}

/** Completes the last of `words`, which may be empty, by those before it. */
export async function complete(
  program: Command,
  words: readonly string[],
  sources: CompletionSources,
): Promise<Completions> {
  const place = await findPlace(program, joinEquals(words), sources);
  const { current } = place;
  const all = await list(place, sources);
  return { ...all, candidates: all.candidates.filter(({ value }) => value.startsWith(current)) };
}

/** bash takes `--format=json` apart: three words. */
function joinEquals(words: readonly string[]): string[] {
  return words.flatMap((word, index) => {
    if (word !== '=' || !words[index - 1]?.startsWith('--')) return [word];
    return index === words.length - 1 ? [''] : [];
  });
}

interface Place {
  command: Command;
  /** Whether nothing but arguments has gone before, so that a subcommand may come. */
  isFirst: boolean;
  /** How many arguments of the command have gone before. */
  position: number;
  /** The option whose value is to come. */
  option: Option | undefined;
  /** What there is of the word already. */
  current: string;
  /** Only arguments come after `--`. */
  onlyArguments: boolean;
}

async function findPlace(
  program: Command,
  words: readonly string[],
  { load }: CompletionSources,
): Promise<Place> {
  const place: Place = {
    command: program,
    isFirst: true,
    position: 0,
    option: undefined,
    current: words.at(-1) ?? '',
    onlyArguments: false,
  };
  for (const word of words.slice(0, -1)) {
    if (place.option) place.option = undefined;
    else if (word === '--') place.onlyArguments = true;
    else if (word.startsWith('-') && !place.onlyArguments) place.option = expectsValue(place.command, word);
    else await enter(place, word, load);
  }
  return place;
}

/** A subcommand goes down the tree; anything else is an argument. */
async function enter(place: Place, word: string, load: CompletionSources['load']): Promise<void> {
  const next = place.isFirst
    ? place.command.commands.find((child) => child.name() === word || child.aliases().includes(word))
    : undefined;
  if (!next) {
    place.isFirst = false;
    place.position += 1;
    return;
  }
  if (next.parent?.parent === null) await load(next);
  place.command = next;
}

function expectsValue(command: Command, word: string): Option | undefined {
  if (word.includes('=')) return undefined;
  const option = optionsOf(command).find(({ long, short }) => long === word || short === word);
  return option?.required ? option : undefined;
}

/** Those of the command first: what it says of an option holds, whatever the root says. */
function optionsOf(command: Command): Option[] {
  const own = command.createHelp().visibleOptions(command);
  if (!command.parent) return own;
  const names = new Set(own.map(({ long }) => long));
  return [
    ...own,
    ...optionsOf(command.parent).filter(({ long }) => !names.has(long) && long !== '--version'),
  ];
}

async function list(place: Place, sources: CompletionSources): Promise<Completions> {
  const { command, option, current, onlyArguments } = place;
  if (option) return valuesOf(option, command, current, sources);
  if (current.startsWith('-') && !onlyArguments) return listOptions(place, sources);
  const subcommands = place.isFirst && !onlyArguments ? listCommands(command) : [];
  const { candidates, files } = await listArguments(place, sources);
  return { candidates: [...subcommands, ...candidates], files };
}

async function listOptions({ command, current }: Place, sources: CompletionSources): Promise<Completions> {
  const options = optionsOf(command);
  const split = current.indexOf('=');
  if (split < 0) {
    const candidates = options.flatMap(({ long, description }) =>
      long ? [{ value: long, about: description }] : [],
    );
    return { candidates, files: false };
  }
  const name = current.slice(0, split);
  const option = options.find(({ long }) => long === name);
  if (!option) return { candidates: [], files: false };
  const { candidates } = await valuesOf(option, command, current.slice(split + 1), sources);
  return { candidates: candidates.map(({ value }) => ({ value: `${name}=${value}` })), files: false };
}

function listCommands(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((child) => ({ value: child.name(), about: child.summary() }));
}

async function listArguments(
  { command, position, current }: Place,
  sources: CompletionSources,
): Promise<Completions> {
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[position] ?? (last?.variadic ? last : undefined);
  return argument ? valuesOf(argument, command, current, sources) : { candidates: [], files: false };
}

async function valuesOf(
  wanted: Option | Argument,
  command: Command,
  prefix: string,
  { names }: CompletionSources,
): Promise<Completions> {
  if (wanted.argChoices) return { candidates: wanted.argChoices.map((value) => ({ value })), files: false };
  const known = knownBy(wanted, command);
  if (known === 'files') return { candidates: [], files: true };
  if (typeof known === 'string') {
    return { candidates: (await names(known, prefix)).map((value) => ({ value })), files: false };
  }
  return { candidates: (known ?? []).map((value) => ({ value })), files: false };
}
