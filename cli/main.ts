import { COMPLETE } from '#cli/commands/completion/complete-word.ts';
import { run } from '#cli/program.ts';
import { STANDARD_FILE } from '#config/standard-file.ts';

const stop = new AbortController();

// npm passes on the Ctrl-C that the terminal has sent to the whole group already: that is one signal, not two.
const ONE_SIGNAL_MS = 500;
let stoppedAt = 0;

/** Milliseconds after which somebody who has pressed Ctrl-C is told why nothing ends. */
const EXPLAIN_MS = 1_000;
const explain = () =>
  process.stderr.write('\nStopping after what is under way; Ctrl-C again stops at once.\n');

// The first signal lets go of what is under way, the second does not wait for that.
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (!stop.signal.aborted) {
      stoppedAt = performance.now();
      if (process.stderr.isTTY) setTimeout(explain, EXPLAIN_MS).unref();
    } else if (performance.now() - stoppedAt > ONE_SIGNAL_MS) {
      process.exit(name === 'SIGINT' ? 130 : 143);
    }
    stop.abort(name);
  });
}

// A reader that has gone (| head) is no failure of ours; a full disk is one, but the database is let go in order.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    // At the exit, because this may come before or after the command's own code.
    process.once('exit', () => (process.exitCode ||= 1));
    if (stream === process.stdout) process.stderr.write(`error: stdout cannot be written (${error.code})\n`);
  });
}

const argv = process.argv.slice(2);
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

// Somebody waits between two keys: nothing that is still open is waited for.
if (argv[0] === COMPLETE) process.exit();
