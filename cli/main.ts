import { run } from '#cli/program.ts';

const stop = new AbortController();

// npm passes on the Ctrl-C that the terminal has sent to the whole group already: that is one signal, not two.
const ONE_SIGNAL_MS = 500;
let stoppedAt = 0;

// The first signal lets go of what is under way, the second does not wait for that.
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (!stop.signal.aborted) stoppedAt = performance.now();
    else if (performance.now() - stoppedAt > ONE_SIGNAL_MS) process.exit(name === 'SIGINT' ? 130 : 143);
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

process.exitCode = await run(process.argv.slice(2), {
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  signal: stop.signal,
});
