import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SCRIPTS, useChromium } from '#test/browser/support/chromium.ts';
import { faultsOf } from '#test/browser/support/faults.ts';
import { enterAs } from '#test/browser/support/people.ts';
import { serveSite } from '#test/browser/support/serve.ts';
import { eventTypes, givenAcme, saying } from '#test/http/federated.ts';
import { givenPerson, PASSWORD } from '#test/http/people.ts';
import { type FakeProvider, type Misbehaviour, startFakeProvider } from '#test/sso/support/fake-provider.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });
const chromium = useChromium();

let acme: FakeProvider;
beforeAll(async () => {
  acme = await startFakeProvider();
});
beforeEach(() => {
  acme.behave = saying({ given_name: 'Ada' }, { routes: forBrowsers() });
});
afterAll(() => acme.close());

/** At the provider everybody is signed in already, and leaves at once. */
function forBrowsers(): NonNullable<Misbehaviour['routes']> {
  return {
    '/authorize': (request, response) => {
      const back = acme.authorize(new URL(request.url ?? '', acme.issuer));
      response.writeHead(302, { location: back.href }).end();
    },
    '/logout': (request, response) => {
      const { searchParams } = new URL(request.url ?? '', acme.issuer);
      response.writeHead(302, { location: searchParams.get('post_logout_redirect_uri') ?? '' }).end();
    },
  };
}

describe.each(SCRIPTS)('signing in elsewhere $name', ({ scripts }) => {
  test('leads there and back to the page first asked for, and signing out likewise', async () => {
    await using site = await serveSite(harness);
    await givenAcme(harness, acme.issuer);
    const page = await chromium.open(site.url, { scripts });

    await page.goto('/settings/api_keys');
    await page.getByRole('button', { name: 'Sign in with Acme' }).click();
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('status').filter({ hasText: 'You are signed out.' }).waitFor();

    expect(acme.requests).toContain('GET /logout');
    expect(await eventTypes(harness)).toEqual(['jit_account_created', 'login', 'logout_idp']);
  });

  test('connects an account after its password, and disconnects it under Security', async () => {
    await using site = await serveSite(harness);
    await givenAcme(harness, acme.issuer);
    await givenPerson(harness, { email: 'ada@example.com' });
    const page = await chromium.open(site.url, { scripts });

    await page.goto('/sessions/new');
    await page.getByRole('button', { name: 'Sign in with Acme' }).click();
    await page.getByLabel('Password of your account').fill(PASSWORD);
    await page.getByRole('button', { name: 'Connect and sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
    await page.getByRole('button', { name: /^Disconnect/ }).click();
    await page.getByRole('status').filter({ hasText: 'disconnected' }).waitFor();
    await page.getByRole('button', { name: 'Connect: Sign in with Acme' }).click();
    await page.getByRole('status').filter({ hasText: 'connected' }).waitFor();

    expect(await eventTypes(harness)).toEqual(['link', 'login', 'unlink', 'link']);
  });
});

describe('a page is made without fault', () => {
  test('with buttons, with the question for a password, with a refusal', async () => {
    await using site = await serveSite(harness);
    await givenAcme(harness, acme.issuer);
    await givenPerson(harness, { email: 'ada@example.com' });
    const page = await chromium.open(site.url, { scripts: true });

    await page.goto('/sessions/new');
    const buttons = await faultsOf(page);
    await page.getByRole('button', { name: 'Sign in with Acme' }).click();
    await page.getByRole('heading', { level: 1, name: 'Connect your account' }).waitFor();
    const question = await faultsOf(page);
    await page.goto('/auth/acme/callback?state=none');
    await page.getByRole('heading', { level: 1, name: 'Signing in did not work' }).waitFor();

    expect({ buttons, question, refusal: await faultsOf(page) }).toEqual({
      buttons: [],
      question: [],
      refusal: [],
    });
  });

  test('with connected accounts', async () => {
    await using site = await serveSite(harness);
    await givenAcme(harness, acme.issuer);
    await givenAcme(harness, acme.issuer, { name: 'umbrella', label: 'Umbrella' });
    const ada = await givenPerson(harness);
    const page = await chromium.open(site.url, { scripts: true });
    await enterAs(page, site, ada);
    await page.goto('/settings/security');
    await page.getByRole('button', { name: 'Connect: Umbrella' }).click();
    await page.getByRole('status').waitFor();

    expect(await faultsOf(page)).toEqual([]);
  });
});
