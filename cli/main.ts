import { COMPLETE } from '#cli/commands/completion/complete-word.ts';
import { SIGNAL_ENDINGS } from '#cli/errors.ts';
import { run } from '#cli/program.ts';
import { STANDARD_FILE } from '#config/standard-file.ts';

const argv = process.argv.slice(2);
const stop = new AbortController();

// npm passes on the Ctrl-C that the terminal has sent to the whole group already: that is one signal, not two.
const ONE_SIGNAL_MS = 500;
let stoppedAt = 0;

/** Milliseconds after which somebody who has pressed Ctrl-C is told why nothing ends. */
const EXPLAIN_MS = 1_000;
const explain = () =>
  process.stderr.write('\nStopping after what is under way; Ctrl-C again stops at once.\n');

let hasEnded = false;
let signalled = 0;
// The first signal lets go of what is under way, the second does not wait for that.
for (const [name, { exitCode }] of Object.entries(SIGNAL_ENDINGS)) {
  process.on(name, () => {
    if (hasEnded) process.exit(exitCode);
    signalled ||= exitCode;
    if (!stop.signal.aborted) {
      stoppedAt = performance.now();
      if (process.stderr.isTTY) setTimeout(explain, EXPLAIN_MS).unref();
    } else if (performance.now() - stoppedAt > ONE_SIGNAL_MS) {
      process.exit(exitCode);
    }
    stop.abort(name);
  });
}

// A reader that has gone (| head) is no failure of ours; a full disk is one, but the database is let go in order.
for (const stream of [process.stdout, process.stderr]) {
  let isTold = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || isTold) return;
    isTold = true;
    // At the exit, because this may come before or after the command's own code.
    process.once('exit', () => (process.exitCode ||= 1));
    if (stream === process.stdout) tellUnwritten(error);
  });
}

process.exitCode = await run(argv, {
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  standardFile: STANDARD_FILE,
  signal: stop.signal,
});

hasEnded = true;

// Somebody waits between two keys: nothing that is still open is waited for.
if (argv[0] === COMPLETE) process.exit();
// After a signal neither: what is left for a pipe that nobody reads would never go. Done is only what has gone.
if (stop.signal.aborted) process.exit(process.exitCode || (process.stdout.writableLength && signalled));

/** Whatever the command makes of it: here it is told, and nowhere else (StdoutLost). */
function tellUnwritten({ code }: NodeJS.ErrnoException): void {
  const message = `stdout cannot be written (${code})`;
  const hint = code === 'ENOSPC' ? 'The disk is full: make room, or write elsewhere.' : undefined;
  const text = argv.includes('--json')
    ? JSON.stringify({ error: 'output_failed', message, hint: hint ?? null })
    : `error: ${message}${hint ? `\n  hint: ${hint}` : ''}`;
  process.stderr.write(`${text}\n`);
}
