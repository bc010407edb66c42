import { readFileSync } from 'node:fs';
import { Command, CommanderError, type Help } from 'commander';
import type { OpenHost, Outside } from '#cli/host.ts';
import type { Output } from '#cli/io.ts';
import { addFlags, type Flags, findGroup, GROUPS } from '#cli/surface.ts';

/** Runs one command line and answers with the exit code. Nothing but the group asked for is loaded. */
export async function run(argv: readonly string[], outside: Outside): Promise<number> {
  const program = createProgram(outside);
  let host: OpenHost | undefined;

  program.hook('preSubcommand', async (_, group) => {
    const [{ openHost }, register] = await Promise.all([
      import('#cli/host.ts'),
      findGroup(group.name()).load(),
    ]);
    host = openHost(outside, () => program.opts<Flags>());
    register(group, host);
  });
  program.hook('preAction', (_, command) => host?.prepare(command));

  try {
    await parse(program, argv, () => host);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const { reportError } = await import('#cli/report-error.ts');
    return reportError(error, { program, argv, outside });
  } finally {
    await host?.close();
  }
}

async function parse(
  program: Command,
  argv: readonly string[],
  host: () => OpenHost | undefined,
): Promise<void> {
  try {
    await program.parseAsync(helpFirst(argv), { from: 'user' });
  } catch (error) {
    await host()?.finish(error);
    throw error;
  }
  await host()?.finish();
}

function createProgram({ stdout, stderr }: Outside): Command {
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
  return program.addHelpText('after', AFTER_HELP);
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
  // A list shows --format itself, with its choices; nothing else has it.
  return root.options.filter(({ long }) => long !== '--format');
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}

/** `help import undo` is `import undo --help`; `help environment` is a command of its own. */
function helpFirst(argv: readonly string[]): string[] {
  const [first, ...rest] = argv;
  if (first !== 'help') return [...argv];
  const [topic] = rest;
  const isGroup = GROUPS.some(({ name, alias }) => topic === name || topic === alias);
  return topic === undefined || isGroup ? [...rest, '--help'] : [...argv];
}

function width({ columns = 80 }: Output): number {
  return Math.min(columns, 110);
}

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return String(Object(JSON.parse(text)).version);
}
