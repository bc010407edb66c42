import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { leaveNothingBehind, newDataDir, postmasterPid } from '#test/embedded/support.ts';
import { childrenOf, type Launched, useServers } from '#test/serve/launch.ts';
import { startLoad } from '#test/serve/load.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenHousehold } from '#test/support/given.ts';

const TOKEN = 'a-token-only-the-scraper-knows';
const harness = useRuntime();
const launch = useServers(harness);
leaveNothingBehind();

/** Two workers that answer, and where. */
async function serving(env: Record<string, string> = {}) {
  const server = launch({ WEB_CONCURRENCY: '2', METRICS_PORT: '0', ...env });
  const { url, workers } = await server.said('server_ready');
  const { port } = await server.said('metrics_ready');
  return { ...server, url: String(url), workers, metricsUrl: `http://localhost:${Number(port)}` };
}

const eventsOf = ({ lines }: Pick<Launched, 'lines'>) => lines.map(({ event }) => event);

async function answersCounted(metricsUrl: string): Promise<number> {
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const text = await (await fetch(`${metricsUrl}/metrics`, { headers })).text();
  return Number(/^http_responses_total\{status="2xx"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

test('a worker that is killed under load is replaced, and the others answer', async () => {
  const { key } = await givenHousehold(harness);
  const { child, url, workers, metricsUrl, ...server } = await serving({ METRICS_TOKEN: TOKEN });
  const before = childrenOf(child);
  const load = startLoad(`${url}/api/v1/accounts`, { headers: { 'X-Api-Key': key } });
  await load.answered();
  const counted = await answersCounted(metricsUrl);

  process.kill(before[0] ?? 0, 'SIGKILL');
  await server.said('worker_ended');
  const replaced = () => childrenOf(child).filter((pid) => !before.includes(pid)).length;
  await expect.poll(replaced).toBe(1);
  const failed = [...load.outcomes].filter(([outcome]) => outcome !== '200');
  await load.answered();
  await load.finish();

  expect(workers).toBe(2);
  // The connections of the killed one, at most.
  expect(failed.every(([outcome]) => outcome === 'ECONNRESET' || outcome === 'EPIPE')).toBe(true);
  expect(failed.reduce((sum, [, count]) => sum + count, 0)).toBeLessThanOrEqual(4);
  expect(counted).toBeGreaterThan(0);
  expect(await answersCounted(metricsUrl)).toBeGreaterThan(counted);
  expect(await answersCounted(url)).toBeGreaterThan(counted);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);

  // What the dead one told at the last look still counts.
  const total = await answersCounted(metricsUrl);
  process.kill(childrenOf(child)[0] ?? 0, 'SIGKILL');
  const ended = () => eventsOf(server).filter((event) => event === 'worker_ended').length;
  await expect.poll(ended).toBe(2);
  expect(await answersCounted(metricsUrl)).toBe(total);
});

test('no request fails while workers are renewed, nor when all are stopped', async () => {
  const { key } = await givenHousehold(harness);
  const { child, url, ...server } = await serving();
  const before = childrenOf(child);
  const headers = { 'X-Api-Key': key };
  const renewed = startLoad(`${url}/api/v1/accounts`, { headers });
  await renewed.answered();

  child.kill('SIGHUP');
  await server.said('workers_renewed');
  await renewed.finish();
  const load = startLoad(`${url}/api/v1/accounts`, { headers, untilClosed: true });
  await load.answered();
  const after = childrenOf(child);
  child.kill('SIGTERM');
  await load.finish();

  expect([...renewed.outcomes.keys()]).toEqual(['200']);
  expect(after).toHaveLength(2);
  expect(before.filter((pid) => after.includes(pid))).toEqual([]);
  expect([...load.outcomes.keys()]).toEqual(['200']);
  expect(await server.ended).toEqual([0, null]);
  expect(eventsOf(server).filter((event) => String(event).startsWith('server_'))).toEqual([
    'server_ready',
    'server_stopping',
    'server_stopped',
  ]);
}, 60_000);

test('a second signal ends all of them at once', async () => {
  const { child, url, ended } = await serving({ SHUTDOWN_DELAY: '60000' });
  child.kill('SIGTERM');
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503);

  const ask = () => {
    child.kill('SIGINT');
    return child.exitCode;
  };
  await expect.poll(ask, { timeout: 10_000 }).toBe(1);

  // It closes when nobody holds the log open any more: the workers are gone too.
  expect(await ended).toEqual([1, null]);
});

test('an end that is asked for during the start comes at once, and is no failure', async () => {
  const { child, stderr, ended } = launch({ WEB_CONCURRENCY: '2', SHUTDOWN_DELAY: '60000' });
  await expect.poll(() => childrenOf(child).length).toBe(2);

  // As a terminal does it: everybody is told.
  for (const pid of childrenOf(child)) process.kill(pid, 'SIGINT');
  child.kill('SIGINT');

  expect(await ended).toEqual([0, null]);
  expect(await stderr).toBe('');
});

test('workers whose leader is killed finish what they have begun, and leave the embedded database', async () => {
  const dataDir = newDataDir();
  const { child, url, ended } = await serving({
    DATABASE_URL: '',
    SECRET_KEY_BASE: '',
    DATA_DIR: dataDir,
    SHUTDOWN_DELAY: '60000',
  });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const answer = text(socket);
  socket.write('POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n');
  await once(socket, 'connect');
  expect(await postmasterPid(dataDir)).toBeDefined();

  child.kill('SIGKILL');
  await once(child, 'exit');
  socket.end('a=');

  expect(await answer).toMatch(/^HTTP\/1.1 4/);
  // It closes when nobody holds the log open any more.
  await ended;
  expect(await postmasterPid(dataDir)).toBeUndefined();
});

test('workers that end again and again are given up, with a reason', async () => {
  const { child, stderr, ended } = await serving();
  const killed = new Set<number>();

  const killThem = () => {
    if (child.exitCode !== null) return true;
    for (const pid of childrenOf(child)) {
      if (!killed.has(pid)) process.kill(pid, 'SIGKILL');
      killed.add(pid);
    }
    return false;
  };
  await expect.poll(killThem, { interval: 5, timeout: 20_000 }).toBe(true);

  expect(await ended).toEqual([1, null]);
  expect(await stderr).toMatch(/^error: .* end again and again: 11 times within a minute\n {2}hint: .*\n$/);
});

test.each(['PORT', 'METRICS_PORT'])('a %s that is taken is said once, and what to do', async (name) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' ? address?.port : undefined;

  const { stderr, ended } = launch({ WEB_CONCURRENCY: '2', [name]: String(port) });

  expect(await ended).toEqual([1, null]);
  expect(await stderr).toMatch(
    new RegExp(`^error: ${name} ${port} is in use by another program\n {2}hint: .*${name}=\\d+.*\n$`),
  );
  other.close();
});
