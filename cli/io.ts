import { styleText } from 'node:util';
import type { Flags } from '#cli/surface.ts';
import type { Environment } from '#config/env.ts';
import { oneLine } from '#src/kernel/safe-text.ts';

type Input = NodeJS.ReadableStream & { isTTY?: boolean; destroy?(error?: Error): unknown };
export type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

export interface Streams {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
}

/** Where results go. */
interface Results {
  write(chunk: string | Uint8Array): boolean;
  once?(event: 'drain' | 'error', listener: (error?: Error) => void): unknown;
  off?(event: 'drain' | 'error', listener: (error?: Error) => void): unknown;
  isTTY?: boolean;
  columns?: number;
}

/** The terminal as a command sees it. */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Where results go: stdout, or the file of --output. */
  readonly results: Results;
  readonly quiet: boolean;
  /** Whether a question would reach somebody. */
  readonly isInteractive: boolean;
  readonly env: Environment;
  /** The text in this colour where `stream` shows colours, else as it is. */
  paint(stream: Pick<Output, 'isTTY'>, colour: Colour, text: string): string;
}

type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

type IoFlags = Partial<Pick<Flags, 'quiet' | 'input' | 'color'>>;

export function createIo(streams: Streams, flags: () => IoFlags, results: () => Io['results']): Io {
  const { stderr, env } = streams;
  return {
    get stdin() {
      return streams.stdin;
    },
    get stdout() {
      return streams.stdout;
    },
    stderr,
    env,
    get results() {
      return results();
    },
    get quiet() {
      return flags().quiet === true;
    },
    get isInteractive() {
      const muted = flags().input === false || isSet(env.FINANCECTL_NO_INPUT) || isSet(env.CI);
      return !muted && streams.stdin.isTTY === true && stderr.isTTY === true;
    },
    paint: (stream, colour, text) =>
      hasColours(stream, env, flags()) ? styleText(colour, text, { validateStream: false }) : text,
  };
}

/** Talk goes to stderr, one line at a time; --quiet silences it. */
export function say(io: Io, line: string): void {
  if (!io.quiet) warn(io, line);
}

/** As `say`, but --quiet does not silence it. */
export function warn(io: Io, line: string): void {
  io.stderr.write(`${oneLine(line)}\n`);
}

/** Results go to stdout, or to the file of --output. The text must be safe for a terminal already. */
export function print(io: Io, text: string): void {
  io.results.write(`${text}\n`);
}

function hasColours(stream: Pick<Output, 'isTTY'>, env: Environment, { color }: IoFlags): boolean {
  if (color === false || isSet(env.NO_COLOR)) return false;
  if (isSet(env.FORCE_COLOR)) return !/^(0|false)$/.test(env.FORCE_COLOR ?? '');
  return stream.isTTY === true && env.TERM !== 'dumb';
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
