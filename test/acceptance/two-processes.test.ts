import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { givenAcme, goThrough, saying } from '#test/http/federated.ts';
import { givenPerson, PASSWORD, signIn } from '#test/http/people.ts';
import { askCorp, givenCorp, postAcross, reply, signInByCorp } from '#test/http/saml-federated.ts';
import { type Visitor, visit } from '#test/http/visitor.ts';
import { startFakeProvider } from '#test/sso/support/fake-provider.ts';
import { createSamlIdp } from '#test/sso/support/saml-idp.ts';
import { post, writeLogout } from '#test/sso/support/saml-idp-logout.ts';
import { SECRET_KEY_BASE, useRuntime } from '#test/support/database.ts';

const ENTRY = join(import.meta.dirname, '../../src/server.ts');
const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

interface Running {
  child: ChildProcess;
  url: string;
}

let first: Running;
let second: Running;
beforeAll(async () => {
  [first, second] = await Promise.all([
    launch({ AUDIT_RETENTION: 'extended', AUDIT_ARCHIVE_URL: '/tmp/finance-no-archive' }),
    launch(),
  ]);
});
afterAll(async () => {
  for (const { child } of [first, second]) {
    child.kill('SIGTERM');
    await once(child, 'close');
  }
});

/** A process of its own, once it says that it is ready. */
async function launch(settings: Record<string, string> = {}): Promise<Running> {
  const child = spawn(process.execPath, [ENTRY], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: harness.databaseUrl,
      SECRET_KEY_BASE,
      AUTH_PROVIDERS_SOURCE: 'db',
      HOST: '127.0.0.1',
      PORT: '0',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { event, url } = JSON.parse(line);
    if (event === 'server_ready') {
      child.stdout.resume();
      return { child, url };
    }
  }
  throw new Error('the server ended before it was ready');
}

/** The same browser at the other process. */
function at({ url }: Running, { cookies }: Visitor): Visitor {
  const visitor = visit({ url });
  for (const [name, value] of cookies) visitor.cookies.set(name, value);
  return visitor;
}

const security = async (visitor: Visitor) => (await visitor.get('/settings/security')).status;

test('keep the audit log for as long as the longest of them says', async () => {
  await expect.poll(() => harness.query('select tier from audit_retention')).toEqual([{ tier: 'extended' }]);
});

test('share sessions, and their end', async () => {
  const here = await signIn(first, await givenPerson(harness));
  const there = at(second, here);
  const before = [await security(here), await security(there)];

  await there.fill('/settings/security', '/logout');

  expect([before, await security(here)]).toEqual([[200, 200], 303]);
});

test('share what is suspended', async () => {
  const ada = await givenPerson(harness);
  const root = await signIn(first, await givenPerson(harness, { role: 'super_admin' }));
  const here = await signIn(second, ada);

  const page = await root.get(`/admin/users/${ada.id}`);
  await root.submit(page, `/admin/users/${ada.id}/suspend`);

  expect(await security(here)).toBe(303);
});

test('share the limit of the admin pages', async () => {
  const statuses: number[] = [];
  for (let n = 0; n < 12; n += 1) {
    statuses.push((await visit(n % 2 === 0 ? first : second).get('/admin/users')).status);
  }

  expect(statuses).toEqual([...Array<number>(10).fill(303), 429, 429]);
});

test('share the throttle of guesses at an account', async () => {
  const { email } = await givenPerson(harness);
  const guess = async (n: number, password: string) => {
    const visitor = visit(n % 2 === 0 ? first : second);
    return (await visitor.submit(await visitor.get('/sessions/new'), '/sessions', { email, password }))
      .status;
  };
  const statuses: number[] = [];
  for (let n = 0; n < 10; n += 1) statuses.push(await guess(n, 'a guess that is wrong'));

  expect([...statuses, await guess(10, PASSWORD), await guess(11, PASSWORD)]).toEqual([
    ...Array<number>(10).fill(422),
    429,
    429,
  ]);
});

test('share a sign-in at an OpenID provider that began on the other', async () => {
  const acme = await startFakeProvider();
  onTestFinished(() => acme.close());
  acme.behave = saying({});
  await givenAcme(harness, acme.issuer);
  const here = visit(first);
  const back = await goThrough(here, acme);
  const there = at(second, here);

  const answer = await there.get(back);

  expect([answer.status, answer.location]).toEqual([303, '/']);
  expect([await security(there), await security(at(first, there))]).toEqual([200, 200]);
});

test('share every step of a sign-in at a SAML provider', async () => {
  const idp = await createSamlIdp();
  await givenCorp(harness, idp);
  const here = visit(first);
  const request = await askCorp(here, idp);

  const posted = await postAcross(second, here, await reply(idp, request));
  const again = await postAcross(first, visit(first), await reply(idp, request));
  const answer = await here.get(posted.location);

  expect([posted.status, again.status, answer.status, answer.location]).toEqual([303, 403, 303, '/']);
  expect([await security(here), await security(at(second, here))]).toEqual([200, 200]);
});

test('share a sign-out that a SAML provider asks the other for', async () => {
  const idp = await createSamlIdp();
  await givenCorp(harness, idp, { logout_url: idp.logoutUrl });
  const { visitor: there } = await signInByCorp(second, idp, { sessionIndex: '_laptop' });
  const { visitor: kept } = await signInByCorp(second, idp, { sessionIndex: '_phone' });
  const { issuer: us } = await askCorp(visit(first), idp);
  const wish = writeLogout('SAMLRequest', {
    issuer: idp.entityId,
    destination: `${us}/logout`,
    sids: ['_laptop'],
  });
  const key = { privateKey: idp.key, certificate: idp.certificate };
  const { query } = post('redirect', 'SAMLRequest', wish, { key });

  const before = await security(there);
  const answer = await visit(first).get(`/auth/saml/corp/logout?${query}`);

  expect([answer.status, answer.location]).toEqual([303, expect.stringMatching(`^${idp.logoutUrl}\\?`)]);
  expect([before, await security(there), await security(kept)]).toEqual([200, 303, 200]);
});
