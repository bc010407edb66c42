import { readFileSync } from 'node:fs';
import { Command, CommanderError, type Help } from 'commander';
import type { Output } from '#cli/io.ts';
import { jsonKeysOf } from '#cli/json-keys.ts';
import { addFlags, GROUPS } from '#cli/surface.ts';
import { wrapped } from '#cli/wrap.ts';

/** The root of the command tree and its groups; what is in a group comes when it is named. */
export function createProgram({ stdout, stderr }: { stdout: Output; stderr: Output }): Command {
  const program = new Command('financectl')
    .description('Administers a finance-server: families, accounts, statements, transfers, keys.')
    .usage('[flags] <group> <command>')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ visibleGlobalOptions: rootOptions, showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      // run() reports errors itself, in words or as JSON.
      outputError: () => undefined,
      getOutHelpWidth: () => width(stdout),
      getErrHelpWidth: () => width(stderr),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  addFlags(program);
  program.on('option:version', () => {
    stdout.write(`${readVersion()}\n`);
    throw new CommanderError(0, 'commander.version', '');
  });
  for (const { name, alias, summary } of GROUPS) {
    const title = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
    const group = program.command(name).summary(summary).description(title).helpCommand(false);
    if (alias) group.alias(alias);
  }
  return program
    .addHelpText('after', AFTER_HELP)
    .addHelpText('afterAll', ({ command }) => wrapped(jsonKeysOf(command), width(stdout)));
}

const AFTER_HELP = `
Examples:
  $ financectl demo load
  $ financectl import statement.ofx --account Checking
  $ financectl transfers list --format csv > transfers.csv

See also: financectl help environment | exit-codes | formats | roles`;

/** Below the root, help shows the root's flags, but not the options of a command in between. */
function rootOptions(this: Help, command: Command) {
  const root = rootOf(command);
  if (root === command) return [];
  // A list shows --format itself, with its choices.
  const own = new Set(command.options.map(({ long }) => long));
  return root.options.filter(({ long }) => long !== '--version' && !own.has(long));
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}

function width({ columns = 80 }: Output): number {
  return Math.min(columns, 110);
}

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return String(Object(JSON.parse(text)).version);
}
