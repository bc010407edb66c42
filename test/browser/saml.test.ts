import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCRIPTS, useChromium } from '#test/browser/support/chromium.ts';
import { faultsOf } from '#test/browser/support/faults.ts';
import { enterAs } from '#test/browser/support/people.ts';
import { samlIdpPage } from '#test/browser/support/saml-idp-page.ts';
import { serveSecureSite } from '#test/browser/support/secure-site.ts';
import { type Site, serveSite } from '#test/browser/support/serve.ts';
import { eventTypes } from '#test/http/federated.ts';
import { givenPerson } from '#test/http/people.ts';
import { CORP_CALLBACK, givenCorp } from '#test/http/saml-federated.ts';
import { type LoopbackServer, listenOnLoopback } from '#test/sso/support/http.ts';
import { createSamlIdp, type SamlIdp } from '#test/sso/support/saml-idp.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });
const chromium = useChromium();

let site: Site;
let idp: SamlIdp;
let server: LoopbackServer;
beforeAll(async () => {
  server = await listenOnLoopback(samlIdpPage(() => idp));
  // Another site than localhost, to a browser.
  idp = await createSamlIdp({ base: `http://127.0.0.1:${server.port}` });
  site = await serveSite(harness);
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await server.close();
});

/** The cookies that a browser sends along with a request, by name. */
async function cookiesOf(request: Promise<Request>): Promise<string[]> {
  const { cookie = '' } = await (await request).allHeaders();
  return cookie
    .split('; ')
    .map((pair) => pair.replace(/=.*/, ''))
    .filter((name) => !name.endsWith('.sig') && name !== '')
    .toSorted();
}

/** The two requests that bring an answer home: the form of another site, and what follows. */
function watchAnswer(page: Page) {
  const at = (method: string) =>
    page.waitForRequest((request) => request.method() === method && request.url().includes(CORP_CALLBACK));
  return { post: at('POST'), get: at('GET') };
}

test.each(SCRIPTS)(
  'signing in by forms between two sites leads to the page first asked for, $name',
  async ({ scripts }) => {
    await givenCorp(harness, idp, { sso_binding: 'post' });
    const page = await chromium.open(site.url, { scripts });
    const answer = watchAnswer(page);

    await page.goto('/settings/api_keys');
    await page.getByRole('button', { name: 'Company login' }).click();
    if (!scripts) {
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
    }
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();

    expect([await cookiesOf(answer.post), await cookiesOf(answer.get)]).toEqual([[], ['finance.visitor']]);
    expect(await eventTypes(harness)).toEqual(['jit_account_created', 'login']);
  },
);

test('signing in on https behind a proxy needs Secure cookies alone, which say what they are for', async () => {
  await using secure = await serveSecureSite(
    harness,
    samlIdpPage(() => other),
  );
  const other = await createSamlIdp({ base: secure.neighbour });
  await givenCorp(harness, other);
  const page = await chromium.open(secure.url, { scripts: true });
  const answer = watchAnswer(page);

  await page.goto('/settings/api_keys');
  await page.getByRole('button', { name: 'Company login' }).click();
  await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();

  expect([await cookiesOf(answer.post), await cookiesOf(answer.get)]).toEqual([
    [],
    ['__Host-finance.visitor'],
  ]);
  const cookies = await page.context().cookies();
  expect(cookies.map(({ secure: isSecure, httpOnly, sameSite }) => [isSecure, httpOnly, sameSite])).toEqual(
    cookies.map(() => [true, true, 'Lax']),
  );
  // Nothing is kept of a site with such a certificate: style and icon may still be on their way when it goes.
  await page.close();
});

test('an account is connected by a form that goes by itself, beside the one to sign out', async () => {
  await givenCorp(harness, idp, { sso_binding: 'post' });
  const page = await chromium.open(site.url, { scripts: true });
  await enterAs(page, site, await givenPerson(harness));

  await page.goto('/settings/security');
  await page.getByRole('button', { name: 'Connect: Company login' }).click();
  await page.getByRole('status').filter({ hasText: 'connected' }).waitFor();

  expect(await eventTypes(harness)).toEqual(['login', 'link']);
});

test('a sign-in that begins at the provider ends the session that the browser had', async () => {
  await givenCorp(harness, idp, { allow_idp_initiated: true });
  const page = await chromium.open(site.url, { scripts: true });
  await enterAs(page, site, await givenPerson(harness));
  const answer = watchAnswer(page);

  await page.goto(`http://127.0.0.1:${server.port}/start?acs=${site.url}${CORP_CALLBACK}`);
  await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();

  expect(await cookiesOf(answer.post)).toEqual([]);
  expect(await page.getByRole('banner').textContent()).toContain('ada@example.com');
  expect(await harness.query('select 1 from sessions')).toHaveLength(1);
});

test('the page that goes on by itself is made without fault', async () => {
  await givenCorp(harness, idp, { sso_binding: 'post' });
  const page = await chromium.open(site.url, { scripts: true });
  await page.route('**/assets/go-on-*', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: '' }),
  );

  await page.goto('/sessions/new');
  await page.getByRole('button', { name: 'Company login' }).click();
  await page.getByRole('heading', { level: 1, name: 'Go on to' }).waitFor();

  expect(await faultsOf(page)).toEqual([]);
});
