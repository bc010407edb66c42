import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useChromium } from '#test/browser/support/chromium.ts';
import { samlIdpPage } from '#test/browser/support/saml-idp-page.ts';
import { serveSecureSite } from '#test/browser/support/secure-site.ts';
import { type Site, serveSite } from '#test/browser/support/serve.ts';
import { eventTypes } from '#test/http/federated.ts';
import { givenCorp } from '#test/http/saml-federated.ts';
import { listenOnLoopback } from '#test/sso/support/http.ts';
import { escapeXml } from '#test/sso/support/saml-attributes.ts';
import { createSamlIdp, type SamlIdp } from '#test/sso/support/saml-idp.ts';
import { post, type Sent, textOf, writeLogout } from '#test/sso/support/saml-idp-logout.ts';
import { samlKey } from '#test/sso/support/saml-keys.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });
const chromium = useChromium();

let site: Site;
let idp: SamlIdp;

/** The provider is another site than localhost, to a browser. */
interface Place extends AsyncDisposable {
  site: Site;
  idpBase: string;
}

async function openPlain(): Promise<Place> {
  const server = await listenOnLoopback(provide);
  const plain = await serveSite(harness);
  return {
    site: plain,
    idpBase: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: async () => {
      await plain[Symbol.asyncDispose]();
      await server.close();
    },
  };
}

async function openSecure(): Promise<Place> {
  const secure = await serveSecureSite(harness, provide);
  return {
    site: secure,
    idpBase: secure.neighbour,
    [Symbol.asyncDispose]: () => secure[Symbol.asyncDispose](),
  };
}

const signInThere = samlIdpPage(() => idp);

const provide: RequestListener = (request, response) =>
  (/^\/(logout|end)/.test(request.url ?? '') ? signOut : signInThere)(request, response);

const signOut: RequestListener = (request, response) => void answer(request, response);

/** The provider: `/logout` answers in the way it was asked, `/end` has everybody leave in a frame. */
async function answer(...[request, response]: Parameters<RequestListener>): Promise<void> {
  const { pathname, search, searchParams } = new URL(request.url ?? '', idp.ssoUrl);
  const form = Object.fromEntries(new URLSearchParams(await text(request)));
  const sent: Sent = request.method === 'POST' ? { form } : { query: search.slice(1) };
  const relayState = form.RelayState ?? searchParams.get('RelayState') ?? '';
  const page = (body: string) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><title>Identity provider</title><link rel="icon" href="data:,">${body}`);

  if (pathname === '/end') {
    const { query = '' } = say('redirect', 'SAMLRequest', {}, 'theirs');
    page(`<iframe src="${escapeXml(`${logoutUrl()}?${query}`)}" title="Finance"></iframe>`);
  } else if (form.SAMLResponse !== undefined || searchParams.has('SAMLResponse')) {
    page(`<p>Heard: ${textOf(sent, 'SAMLResponse').includes('status:Success')}, ${relayState}</p>`);
  } else {
    const inResponseTo = / ID="([^"]*)"/.exec(textOf(sent, 'SAMLRequest'))?.[1] ?? '';
    const said = say(sent.form ? 'post' : 'redirect', 'SAMLResponse', { inResponseTo }, relayState);
    if (said.form) page(writeForm(said.form));
    else response.writeHead(302, { location: `${logoutUrl()}?${said.query}` }).end();
  }
}

const logoutUrl = () => `${site.url}/auth/saml/corp/logout`;

function say(
  binding: 'redirect' | 'post',
  kind: 'SAMLRequest' | 'SAMLResponse',
  words: { inResponseTo?: string },
  relayState: string,
): Sent {
  const xml = writeLogout(kind, { issuer: idp.entityId, destination: logoutUrl(), ...words });
  return post(binding, kind, xml, { key: { privateKey: idp.key, certificate: idp.certificate }, relayState });
}

function writeForm(fields: Record<string, string>): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeXml(value)}">`,
  );
  return `<form method="post" action="${logoutUrl()}">${inputs.join('')}</form>
<script>document.forms[0].submit()</script>`;
}

async function signIn(binding: 'redirect' | 'post'): Promise<Page> {
  const ours = await samlKey('this service');
  await givenCorp(harness, idp, {
    logout_url: idp.logoutUrl,
    logout_binding: binding,
    private_key: ours.privateKey,
    sp_certificate: ours.certificate,
  });
  const page = await chromium.open(site.url, { scripts: true });
  await page.goto('/settings/security');
  await page.getByRole('button', { name: 'Company login' }).click();
  await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
  return page;
}

describe.each([
  { place: 'on http', open: openPlain, bindings: ['redirect', 'post'] as const },
  { place: 'on https behind a proxy', open: openSecure, bindings: ['redirect'] as const },
])('signing out $place', ({ open, bindings }) => {
  let opened: Place;
  beforeAll(async () => {
    opened = await open();
    site = opened.site;
    idp = await createSamlIdp({ base: opened.idpBase });
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  test.each(bindings)('goes to the provider and comes back, by %s', async (binding) => {
    const page = await signIn(binding);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('status').filter({ hasText: 'You are signed out.' }).waitFor();

    expect(await eventTypes(harness)).toEqual(['jit_account_created', 'login', 'logout_idp']);
    expect(await harness.query('select 1 from pending_logins')).toEqual([]);
  });

  test.each(bindings)(
    'at the provider, which frames us, signs out here: the answer goes by %s',
    async (binding) => {
      const page = await signIn(binding);
      const there = await page.context().newPage();

      await there.goto(`${opened.idpBase}/end`);
      await there.frameLocator('iframe').getByText('Heard: true, theirs').waitFor();
      await page.goto('/settings/security');

      await page.getByRole('status').filter({ hasText: 'Sign in to go on.' }).waitFor();
      expect(await eventTypes(harness)).toEqual(['jit_account_created', 'login', 'logout']);
    },
  );
});
