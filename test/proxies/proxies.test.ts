import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { givenPerson, PASSWORD } from '#test/http/people.ts';
import { askFrom } from '#test/proxies/support/ask-from.ts';
import {
  checkExample,
  freePort,
  PROXIES,
  type RunningProxy,
  startProxy,
} from '#test/proxies/support/proxy.ts';
import { type Launched, useServers } from '#test/serve/launch.ts';
import { startLoad } from '#test/serve/load.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenHousehold } from '#test/support/given.ts';

/** An address that neither the proxy nor the servers have. */
const CLIENT = '127.0.0.7';
const SPOOFED = { 'X-Forwarded-For': '203.0.113.9', 'X-Request-Id': 'made-up-by-the-caller' };

const harness = useRuntime();

/** Requests of the load that this server has answered. */
const sentTo = (server: Launched | undefined) =>
  server?.lines.filter(({ event, path }) => event === 'request' && path === '/api/v1/accounts').length ?? 0;

const launch = useServers(harness, afterAll);
let port = 0;
/** The server that is left running behind one proxy is the first of the two behind the next. */
let left: Launched | undefined;

const start = (delay: number) =>
  launch({
    HOST: '127.0.0.1',
    APP_URL: `http://127.0.0.1:${port}`,
    TRUSTED_PROXY_HOPS: '1',
    LOG_LEVEL: 'debug',
    SHUTDOWN_DELAY: String(delay),
  });

test.each(PROXIES.filter(([, { check }]) => check))(
  '%s understands the example to the letter',
  async (_, product) => {
    await expect(checkExample(product)).resolves.toBeUndefined();
  },
);

describe.each(PROXIES)('behind %s, as the example shows', (_, product) => {
  let servers: Launched[] = [];
  let proxy: RunningProxy;

  beforeAll(async () => {
    port ||= await freePort();
    // Behind the first, which does not ask for health, the server that stops does so at once.
    servers = [left ?? start(product.asksForHealth ? 60_000 : 0), start(60_000)];
    left = servers[1];
    const ready = await Promise.all(servers.map((server) => server.said('server_ready')));
    const [one = 0, two = 0] = ready.map(({ url }) => Number(new URL(String(url)).port));
    proxy = await startProxy(product, port, [one, two]);
  });
  afterAll(() => proxy?.stop());

  test('people sign in, and are known by their own address whatever they claim', async () => {
    const { email, id } = await givenPerson(harness);

    const signedIn = await askFrom(CLIENT, `${proxy.url}/sessions`, {
      method: 'POST',
      headers: { ...SPOOFED, 'Content-Type': 'application/json', Origin: proxy.url },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    const cookie = (signedIn.headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ');
    const page = await askFrom(CLIENT, `${proxy.url}/settings/security`, { headers: { Cookie: cookie } });

    expect([signedIn.status, page.status]).toEqual([200, 200]);
    expect(
      await harness.query(
        `select ip_address, request_id from audit_events where event_type = 'login' and user_id = $1`,
        [id],
      ),
    ).toEqual([{ ip_address: CLIENT, request_id: signedIn.headers['x-request-id'] }]);
    expect(signedIn.headers['x-request-id']).not.toBe(SPOOFED['X-Request-Id']);
  });

  test('programs are answered; metrics and what is too large are not let through', async () => {
    const { key } = await givenHousehold(harness);

    const accounts = await askFrom(CLIENT, `${proxy.url}/api/v1/accounts`, { headers: { 'X-Api-Key': key } });
    const metrics = await askFrom(CLIENT, `${proxy.url}/metrics`);
    const body = 'x'.repeat(1024 * 1024 + 1);
    const large = await askFrom(CLIENT, `${proxy.url}/sessions`, { method: 'POST', body }).catch(
      () => undefined,
    );

    expect(accounts.status).toBe(200);
    expect(JSON.parse(accounts.text)).toMatchObject({ accounts: [] });
    expect(metrics.status).toBe(404);
    // Some hang up on whoever goes on sending.
    expect(large?.status ?? 413).toBe(413);
  });

  test('requests go on while a server stops', async () => {
    const { key } = await givenHousehold(harness);
    const headers = { 'X-Api-Key': key };
    const url = `${proxy.url}/api/v1/accounts`;
    const [first, second] = servers;
    const load = startLoad(url, { headers });
    await load.answered();

    first?.child.kill('SIGTERM');
    await first?.said('server_stopping');
    if (product.asksForHealth) {
      // Not ready any more, it is asked for nothing, although it would still answer.
      const isLeftAlone = async () => {
        const before = sentTo(first);
        await load.answered();
        await load.answered();
        return sentTo(first) === before && first?.child.exitCode === null;
      };
      await expect.poll(isLeftAlone, { timeout: 15_000 }).toBe(true);
      // Again and again, because two at the same moment count as one.
      const ask = () => {
        first?.child.kill('SIGTERM');
        return first?.child.exitCode;
      };
      await expect.poll(ask, { timeout: 10_000 }).toBe(1);
    }
    await first?.ended;
    const before = sentTo(second);
    await load.answered();
    await load.finish();

    expect([...load.outcomes.keys()]).toEqual(['200']);
    expect(sentTo(second)).toBeGreaterThan(before);
  });
});
