import type { Argument, Command } from 'commander';
import { createProgram } from '#cli/create-program.ts';
import { openHost } from '#cli/host.ts';
import { findGroup } from '#cli/surface.ts';
import { bufferedOutside } from '#test/support/cli.ts';

/** One command as people know it. */
export interface TreeCommand {
  /** `users list`. */
  path: string;
  words: string[];
  command: Command;
  /** What --help prints. */
  help: string;
  /** The command lines below `Examples:`, without the prompt and the program's name. */
  examples: string[];
  /** Whether it does something, rather than only holding other commands. */
  runs: boolean;
  arguments: readonly Argument[];
}

/** Every example of every help text, that of the root included. */
export async function allExamples(): Promise<string[]> {
  const { outside } = bufferedOutside();
  const tree = await commandTree();
  const examples = tree.flatMap((command) => command.examples);
  return [...new Set([...examplesIn(helpOf(createProgram(outside))), ...examples])];
}

/** Every command of the tree, groups included, without the root. */
export async function commandTree(): Promise<TreeCommand[]> {
  const { outside } = bufferedOutside();
  const program = createProgram(outside);
  for (const group of program.commands) {
    const register = await findGroup(group.name()).load();
    register(
      group,
      openHost(outside, () => ({ color: true, input: true })),
    );
  }
  return program.commands.flatMap((group) => describe(group, []));
}

function describe(command: Command, above: string[]): TreeCommand[] {
  const words = [...above, command.name()];
  const help = helpOf(command);
  const self = {
    path: words.join(' '),
    words,
    command,
    help,
    examples: examplesIn(help),
    // commander does not tell in another way.
    runs: Boolean(Reflect.get(command, '_actionHandler')),
    arguments: command.registeredArguments,
  };
  return [self, ...command.commands.flatMap((child) => describe(child, words))];
}

function examplesIn(help: string): string[] {
  return [...help.matchAll(/^ {2}\$ financectl (.+)$/gm)].map(([, line = '']) => line);
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}
