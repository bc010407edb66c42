import { type Command, CommanderError } from 'commander';
import { describeError, type Failure } from '#cli/describe-error.ts';
import { CliError, SIGNAL_ENDINGS, StdoutLost, UsageError } from '#cli/errors.ts';
import { createIo, type Streams } from '#cli/io.ts';
import { type Flags, GROUPS } from '#cli/surface.ts';
import { wrapped } from '#cli/wrap.ts';
import { guess, similarTo } from '#src/kernel/did-you-mean.ts';
import { lines, oneLine, safeJson } from '#src/kernel/safe-text.ts';

interface Context {
  program: Command;
  argv: readonly string[];
  outside: Streams & { signal: AbortSignal };
}

/** Tells what went wrong on stderr and answers with the exit code. */
export function reportError(error: unknown, { program, argv, outside }: Context): number {
  const flags = program.opts<Flags>();
  if (isHelpOnStderr(error)) return 2;
  if (error instanceof StdoutLost) return error.exitCode;

  const cause = outside.signal.aborted ? interruption(outside.signal) : fromCommander(error, program);
  const failure = describeError(cause);
  const { stderr } = outside;
  if (flags.json || flags.format === 'json' || argv.includes('--json')) {
    const { code, message, hint = null, errors } = failure;
    stderr.write(`${safeJson({ error: code, message, hint, ...(errors && { errors }) })}\n`);
  } else {
    const io = createIo(
      outside,
      () => flags,
      () => outside.stdout,
    );
    stderr.write(
      describe(failure, io.paint(stderr, 'red', 'error:'), stderr.isTTY ? stderr.columns : undefined),
    );
  }
  if ((flags.debug || outside.env.DEBUG) && error instanceof Error) {
    stderr.write(`${lines(stackOf(error))}\n`);
  }
  return failure.exitCode;
}

/** One line each, but for a terminal of so many columns. */
function describe({ message, errors = [], hint }: Failure, label: string, columns?: number): string {
  const messages = errors.length > 1 ? errors : [message];
  const lineOf = (text: string, before: string) => wrapped(oneLine(text), columns, before.length);
  const text = messages.map((message) => `${label} ${lineOf(message, 'error: ')}\n`).join('');
  return hint ? `${text}  hint: ${lineOf(hint, '  hint: ')}\n` : text;
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}

/** A bare group: commander has printed its help already. */
function isHelpOnStderr(error: unknown): boolean {
  return error instanceof CommanderError && error.code === 'commander.help';
}

function interruption({ reason }: AbortSignal): CliError {
  const ending = Object.entries(SIGNAL_ENDINGS).find(([name]) => name === reason)?.[1];
  const { code, exitCode } = ending ?? SIGNAL_ENDINGS.SIGINT;
  return new CliError(code, exitCode, 'interrupted; what was not finished was rolled back');
}

const MISSING = new Set(['commander.missingMandatoryOptionValue', 'commander.missingArgument']);

/** commander's message, as a usage error with the way to the help of the command that was meant. */
function fromCommander(error: unknown, program: Command): unknown {
  if (!(error instanceof CommanderError)) return error;
  const command = reached(program);
  const [first = '', suggested] = error.message.replace(/^error: /, '').split('\n');
  const message = MISSING.has(error.code) ? missing(command) : first;
  const suggestion = suggested?.replace(/^\(|\)$/g, '') ?? suggest(first, command);
  const help = `'${pathOf(command)} --help' shows how it is used.`;
  return new UsageError(message, suggestion ? `${suggestion} ${help}` : help);
}

/** commander knows similar commands and flags; here it is values that are chosen from, and commands that help is asked for. */
function suggest(message: string, command: Command): string {
  const [, value, choices] =
    /(?:argument|value) '(.*)' is invalid(?: for argument '[^']*')?\. Allowed choices are (.*)\.$/s.exec(
      message,
    ) ?? [];
  if (value !== undefined && choices !== undefined) return guess(similarTo(value, choices.split(', ')));
  const [, unknown] = /^unknown command '(.*)'$/s.exec(message) ?? [];
  const isHelp = command.name() === 'help' && unknown !== undefined;
  return isHelp
    ? guess(
        similarTo(
          unknown,
          GROUPS.map(({ name }) => name),
        ),
      )
    : '';
}

/** Everything that is missing, not only what commander came upon first. */
function missing(command: Command): string {
  const names = [
    ...command.registeredArguments
      .filter(({ required }, index) => required && command.args[index] === undefined)
      .map((argument) => `<${argument.name()}>`),
    ...command.options
      .filter((option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined)
      .map(({ flags }) => flags),
  ];
  return names.length === 1 ? `${names[0]} is required` : `these are required: ${names.join(', ')}`;
}

/** The innermost command that parsing came to. */
function reached(command: Command): Command {
  const [name] = command.args;
  const next = command.commands.find(
    (child) => child.name() === name || child.aliases().includes(name ?? ''),
  );
  return next ? reached(next) : command;
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}
