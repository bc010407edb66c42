import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { type Completions, complete } from '#cli/commands/completion/candidates.ts';
import type { NameKind } from '#cli/commands/completion/name-kinds.ts';
import { createProgram } from '#cli/create-program.ts';
import { openHost } from '#cli/host.ts';
import type { Outside } from '#cli/outside.ts';
import { findGroup } from '#cli/surface.ts';
import { isSafe, oneLine } from '#src/kernel/safe-text.ts';

/** Milliseconds after which names are given up. */
const TIME_LIMIT = 1_000;

/**
 * Answers a shell that completes a command line: `files` or `names` on the first line, then one candidate a line, with
 * what it is about behind a tab. Whatever goes wrong, it is silent.
 */
export async function answerShell(words: readonly string[], outside: Outside): Promise<void> {
  const { candidates, files } = await findCompletions(words, outside);
  const lines = candidates
    .filter(({ value }) => isSafe(value))
    .map(({ value, about }) => (about ? `${value}\t${oneLine(about)}` : value));
  outside.stdout.write(`${[files ? 'files' : 'names', ...lines].join('\n')}\n`);
}

async function findCompletions(words: readonly string[], outside: Outside): Promise<Completions> {
  try {
    const program = createProgram(outside);
    const isHelp = words[0] === 'help' && words.length > 1;
    if (isHelp) return await completeHelp(program, words.slice(1), outside);
    return await complete(program, words, { load: loader(program, outside), names: namer(words, outside) });
  } catch {
    return { candidates: [], files: false };
  }
}

function loader(program: Command, outside: Outside) {
  return async (group: Command) => {
    const register = await findGroup(group.name()).load();
    register(
      group,
      openHost(outside, () => program.opts()),
    );
  };
}

/** After `help` comes a topic, or the way to a command. */
async function completeHelp(
  program: Command,
  words: readonly string[],
  outside: Outside,
): Promise<Completions> {
  const load = loader(program, outside);
  const ways = await complete(program, words, { load, names: async () => [] });
  const [topic = '', ...more] = words;
  if (more.length > 0) return { ...ways, files: false };
  const help = program.commands.find((group) => group.name() === 'help');
  if (help) await load(help);
  const topics = (help?.commands ?? []).map((command) => ({
    value: command.name(),
    about: command.summary(),
  }));
  const candidates = topics.filter(({ value }) => value.startsWith(topic));
  return { candidates: [...candidates, ...ways.candidates], files: false };
}

function namer(words: readonly string[], { env, standardFile }: Outside) {
  return async (kind: NameKind, prefix: string): Promise<string[]> => {
    const [{ loadEnvironment }, { loadConfig }, { storedNames }] = await Promise.all([
      import('#config/environment-file.ts'),
      import('#config/env.ts'),
      import('#cli/commands/completion/stored-names.ts'),
    ]);
    const file = configFile(words);
    const config = loadConfig(loadEnvironment({ env, file, standardFile }).env);
    const settled = new AbortController();
    const late = delay(TIME_LIMIT, [], settled).catch(() => []);
    try {
      return await Promise.race([storedNames(config, kind, prefix), late]);
    } finally {
      settled.abort();
    }
  };
}

function configFile(words: readonly string[]): string | undefined {
  const index = words.findIndex((word) => word === '--config' || word.startsWith('--config='));
  return index < 0 ? undefined : (words[index]?.split('=')[1] ?? words[index + 1]);
}
