import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { SECRET_KEY_BASE, useRuntime } from '#test/support/database.ts';
import { givenHousehold } from '#test/support/given.ts';

const harness = useRuntime();
const ENTRY = join(import.meta.dirname, '../../src/server.ts');
const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

function launch(env: Record<string, string>) {
  const child = spawn(process.execPath, [ENTRY], {
    env: { PATH: process.env.PATH, DATABASE_URL: harness.databaseUrl, SECRET_KEY_BASE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  return child;
}

/** The launched server, once it says that it is ready. */
async function ready(env: Record<string, string> = {}) {
  const child = launch({ PORT: '0', ...env });
  const lines: Record<string, unknown>[] = [];
  const { promise, resolve } = Promise.withResolvers<number>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const event: Record<string, unknown> = JSON.parse(line);
    lines.push(event);
    if (event.event === 'server_ready') resolve(Number(new URL(String(event.url)).port));
  });
  return { child, lines, port: await promise, ended: once(child, 'close') };
}

async function refused(env: Record<string, string>) {
  const child = launch(env);
  const ended = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr, code: (await ended)[0] };
}

describe('the process', () => {
  test('listens on both loopback addresses and stops when asked', async () => {
    const { child, lines, port, ended } = await ready();

    for (const host of ['127.0.0.1', '[::1]'])
      expect((await fetch(`http://${host}:${port}/readyz`)).status).toBe(200);
    const description = await (await fetch(`http://localhost:${port}/api/v1/openapi.json`)).json();
    child.kill('SIGTERM');

    expect(await ended).toEqual([0, null]);
    expect(description).toMatchObject({ servers: [{ url: `http://localhost:${port}` }] });
    // On a busy machine a slow answer is worth a line too.
    const events = lines.map(({ event }) => event).filter((event) => String(event).startsWith('server_'));
    expect(events).toEqual(['server_ready', 'server_stopping', 'server_stopped']);
  });

  test('waits while load balancers look away, and ends at once when asked twice', async () => {
    const { child, port, ended, lines } = await ready({ SHUTDOWN_DELAY: '60000' });

    child.kill('SIGTERM');
    const status = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
    await expect.poll(status).toBe(503);
    expect((await fetch(`http://127.0.0.1:${port}/up`)).status).toBe(200);
    // Again and again, because two at the same moment count as one.
    const ask = () => {
      child.kill('SIGINT');
      return child.exitCode;
    };
    await expect.poll(ask, { timeout: 10_000 }).toBe(1);

    expect(await ended).toEqual([1, null]);
    expect(lines.map(({ event }) => event)).not.toContain('server_stopped');
  });

  test('takes a Ctrl-C that npm passes on once more for one signal', async () => {
    // It is still stopping when the second one comes.
    const { child, ended, lines } = await ready({ SHUTDOWN_DELAY: '400' });
    const stopping = () => lines.some(({ event }) => event === 'server_stopping');

    child.kill('SIGINT');
    await expect.poll(stopping, { interval: 5 }).toBe(true);
    child.kill('SIGINT');

    expect(await ended).toEqual([0, null]);
    expect(lines.map(({ event }) => event)).toContain('server_stopped');
  });

  test('says how the first super admin is made, as long as there is nobody', async () => {
    const { lines, child } = await ready();
    const hint = () => lines.find(({ event }) => event === 'no_users_yet')?.hint;
    await expect.poll(hint).toMatch(/financectl users create --email/);
    child.kill('SIGKILL');
    await givenHousehold(harness);

    const later = await ready();
    later.child.kill('SIGTERM');
    await later.ended;

    expect(later.lines.map(({ event }) => event)).not.toContain('no_users_yet');
  });

  test('names every bad variable at once, without a stack', async () => {
    const { code, stdout, stderr } = await refused({
      PORT: 'eighty',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://x',
    });

    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr.match(/^error: .*$/gm)).toEqual([
      expect.stringContaining('PORT'),
      expect.stringContaining('LOG_LEVEL'),
      expect.stringContaining('DATABASE_URL'),
    ]);
    expect(stderr).not.toMatch(/ {4}at /);
  });

  test.each([
    ['', 'must be set'],
    ['short', 'at least 32 characters'],
  ])('refuses the secret "%s"', async (secret, reason) => {
    const { code, stderr } = await refused({ PORT: '0', SECRET_KEY_BASE: secret });

    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^error: SECRET_KEY_BASE .*${reason}`));
    expect(stderr).not.toContain('short,');
  });

  test('says when its port is taken, and what to do', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;

    const { code, stderr } = await refused({ PORT: String(port) });
    other.close();

    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^error: PORT ${port} is in use.*\n {2}hint: .*PORT=`));
  });

  test('says when its database is down', async () => {
    const { code, stderr } = await refused({ PORT: '0', DATABASE_URL: 'postgres://u:hunter2@localhost:1/x' });

    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: The database cannot be used: .*ECONNREFUSED.*\n {2}hint: .*DATABASE_URL/);
    expect(stderr).not.toMatch(/hunter2| {4}at /);
  });
});
