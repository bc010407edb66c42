import { PassThrough, Readable, Writable } from 'node:stream';
import type { Outside } from '#cli/outside.ts';
import { run } from '#cli/program.ts';
import type { Runtime } from '#src/kernel/work.ts';

export interface CliOptions {
  env?: Record<string, string>;
  /** What is piped in; default: nothing, already closed. */
  stdin?: string;
  /** Streams that are terminals. */
  terminal?: { stdin?: boolean; stdout?: boolean; stderr?: boolean; columns?: number };
  /** The runtime the command gets instead of one of its own; the test closes it. */
  runtime?: Runtime;
  signal?: AbortSignal;
}

export interface CliResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs one command line in this process, its terminal swapped for buffers. */
export async function runCli(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const { outside, stdout, stderr } = bufferedOutside(options);
  const exitCode = await run(argv, outside);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

export function bufferedOutside({ env = {}, stdin = '', terminal = {}, runtime, signal }: CliOptions = {}) {
  const { columns = 80 } = terminal;
  const stdout = new BufferStream(terminal.stdout ?? false, columns);
  const stderr = new BufferStream(terminal.stderr ?? false, columns);
  const input = terminal.stdin
    ? Object.assign(new PassThrough(), { isTTY: true })
    : Readable.from([Buffer.from(stdin)]);
  const outside: Outside = {
    stdin: input,
    stdout,
    stderr,
    env,
    signal: signal ?? new AbortController().signal,
    createRuntime: async () => {
      if (!runtime) throw new Error('this test has no database');
      return { ...runtime, close: async () => undefined };
    },
  };
  return { outside, stdout, stderr };
}

class BufferStream extends Writable {
  readonly isTTY: boolean;
  readonly columns: number;
  readonly #chunks: Buffer[] = [];

  constructor(isTTY: boolean, columns: number) {
    super();
    this.isTTY = isTTY;
    this.columns = columns;
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  /** Like the streams of a process, which stay open whatever is piped into them ends. */
  override end(): this {
    return this;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}
