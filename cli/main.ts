import { run } from '#cli/program.ts';

const stop = new AbortController();

// The first signal lets go of what is under way, the second does not wait for that.
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (stop.signal.aborted) process.exit(name === 'SIGINT' ? 130 : 143);
    stop.abort(name);
  });
}

// A reader that has gone (| head) is no failure of ours.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
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
