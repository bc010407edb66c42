import { expect, onTestFinished, test } from 'vitest';
import { givenPerson, PASSWORD } from '#test/http/people.ts';
import { visit } from '#test/http/visitor.ts';
import { startPgBouncer } from '#test/proxies/support/pgbouncer.ts';
import { freePort } from '#test/proxies/support/proxy.ts';
import { useServers } from '#test/serve/launch.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenHousehold } from '#test/support/given.ts';

const harness = useRuntime();
const launch = useServers(harness);

test('people and programs are answered through PgBouncer in transaction mode', async () => {
  const bouncer = await startPgBouncer(harness.databaseUrl, await freePort());
  onTestFinished(() => bouncer.stop());
  const server = launch({ ...bouncer.env, HOST: '127.0.0.1' });
  const url = String((await server.said('server_ready')).url);
  const { key } = await givenHousehold(harness);
  const { email } = await givenPerson(harness);

  const visitor = visit({ url }, url.replace('127.0.0.1', 'localhost'));
  const page = await visitor.submit(await visitor.get('/sessions/new'), '/sessions', {
    email,
    password: PASSWORD,
  });
  const security = await visitor.get('/settings/security');
  // Far more at once than it has connections, so that each of ours meets both of them.
  const statuses = await Promise.all(
    Array.from(
      { length: 40 },
      async () => (await fetch(`${url}/api/v1/accounts`, { headers: { 'X-Api-Key': key } })).status,
    ),
  );
  server.child.kill('SIGTERM');

  expect([page.status, page.location, security.status]).toEqual([303, '/', 200]);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await server.ended).toEqual([0, null]);
  expect(server.lines.filter(({ level }) => level === 'error')).toEqual([]);
});
