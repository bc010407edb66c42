import { type Command, CommanderError } from 'commander';
import { COMPLETE } from '#cli/commands/completion/complete-word.ts';
import { createProgram } from '#cli/create-program.ts';
import type { OpenHost } from '#cli/host.ts';
import type { Outside } from '#cli/outside.ts';
import { type Flags, findGroup, GROUPS } from '#cli/surface.ts';

/** Runs one command line and answers with the exit code. Nothing but the group asked for is loaded. */
export async function run(argv: readonly string[], outside: Outside): Promise<number> {
  if (argv[0] === COMPLETE) {
    const { answerShell } = await import('#cli/commands/completion/answer.ts');
    await answerShell(argv.slice(1), outside);
    return 0;
  }
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

/** `help import undo` is `import undo --help`; `help environment` is a command of its own. */
function helpFirst(argv: readonly string[]): string[] {
  const [first, ...rest] = argv;
  if (first !== 'help') return [...argv];
  const [topic] = rest;
  const isGroup = GROUPS.some(({ name, alias }) => topic === name || topic === alias);
  return topic === undefined || isGroup ? [...rest, '--help'] : [...argv];
}
