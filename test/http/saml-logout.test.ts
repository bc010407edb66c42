import { beforeEach, describe, expect, test } from 'vitest';
import { createProvider } from '#src/sso/providers/create-provider.ts';
import { elsewhere, isSignedIn } from '#test/http/federated.ts';
import { askCorp, postAcross, reply, signInByCorp } from '#test/http/saml-federated.ts';
import {
  ADA,
  BINDINGS,
  bring,
  departures,
  ENTITY,
  givenAccount,
  givenSession,
  sessionsLeft,
  useLeaving,
} from '#test/http/saml-leaving.ts';
import { type Visited, visit } from '#test/http/visitor.ts';
import { listenOnLoopback } from '#test/sso/support/http.ts';
import { createSamlIdp, EMAIL_FORMAT } from '#test/sso/support/saml-idp.ts';
import {
  type Binding,
  type LogoutWords,
  type Posting,
  post,
  type Sent,
  samlifyPair,
  textOf,
  writeLogout,
} from '#test/sso/support/saml-idp-logout.ts';
import { samlKey } from '#test/sso/support/saml-keys.ts';
import { encryptXml } from '#test/sso/support/saml-sign.ts';
import { useRuntime } from '#test/support/database.ts';

const IDP = 'https://idp.example.com/metadata';
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });
const { now, words, request, givenProvider } = useLeaving(harness);

/** What of ours an answer carries to the provider. */
function sentOn({ location, root }: Visited): Sent & { to: string } {
  if (location !== '') {
    const url = new URL(location);
    return { to: url.origin + url.pathname, query: url.search.slice(1) };
  }
  const form = root.querySelector('form#go-on');
  const fields = (form?.querySelectorAll('input') ?? []).map((input) => [
    input.getAttribute('name'),
    input.getAttribute('value'),
  ]);
  return { to: form?.getAttribute('action') ?? '', form: Object.fromEntries(fields) };
}

/** As samlify takes it. */
function asRequest({ query, form }: Sent) {
  if (query === undefined) return { body: form };
  const octetString = query.replace(/&Signature=.*$/, '');
  return { query: Object.fromEntries(new URLSearchParams(query)), octetString };
}

describe('signing out here', () => {
  test.each(BINDINGS)('goes on at the provider, and comes back confirmed: %s', async (binding) => {
    await givenProvider({ logout_binding: binding });
    const { visitor } = await signInByCorp(now().first, now().idp, { sessionIndex: '_laptop' });
    const { idp: samlify, sp } = samlifyPair(now().idp, (await visitor.get('/auth/saml/corp/metadata')).text);

    const answer = await visitor.submit(await visitor.get('/settings/security'), '/logout');

    const sent = sentOn(answer);
    const received = await samlify.parseLogoutRequest(sp, binding, asRequest(sent));
    expect([sent.to, await sessionsLeft(harness)]).toEqual([now().idp.logoutUrl, []]);
    expect(answer.root.querySelector('form[action="/logout"]')).toBeNull();
    expect(received.extract).toMatchObject({
      issuer: ENTITY,
      nameID: ADA,
      sessionIndex: '_laptop',
      request: { destination: now().idp.logoutUrl },
    });
    expect(await departures(harness)).toMatchObject([
      { event_type: 'logout_idp', provider: 'corp', user_id: expect.any(String) },
    ]);

    const relayState =
      sent.query === undefined ? sent.form.RelayState : new URLSearchParams(sent.query).get('RelayState');
    const about = { extract: { request: { id: String(received.extract.request?.id) } } };
    const theirAnswer = samlify.createLogoutResponse(sp, about, binding, { relayState: relayState ?? '' });
    const back: Sent =
      binding === 'redirect'
        ? { query: new URL(theirAnswer.context).search.slice(1) }
        : { form: { SAMLResponse: theirAnswer.context, RelayState: relayState ?? '' } };
    const end = await bring(now().second, back);
    const again = await bring(now().first, back);

    expect([end.status, end.location]).toEqual([303, '/sessions/new?notice=signed_out']);
    expect([again.status, again.text]).toEqual([403, expect.stringContaining('not confirmed')]);
  });

  test.each([
    ['nobody signs for us', { private_key: undefined, sp_certificate: undefined }],
    ['the provider has no such place', { logout_url: undefined }],
  ])('stays here when %s', async (_, changes) => {
    await givenProvider(changes);
    const { visitor } = await signInByCorp(now().first, now().idp);

    const answer = await visitor.submit(await visitor.get('/settings/security'), '/logout');

    expect(answer.location).toBe('/sessions/new?notice=signed_out');
    expect([await sessionsLeft(harness), await departures(harness)]).toMatchObject([
      [],
      [{ event_type: 'logout', provider: 'corp' }],
    ]);
  });

  test.each([
    ['with its qualifiers', ` NameQualifier="${IDP}" SPNameQualifier="&lt;us&gt;"`],
    ['without what it leaves out', ''],
  ])('names the person as the provider does, %s', async (_, qualifiers) => {
    await givenProvider();
    const beforeSigning = (xml: string) =>
      xml.replace('<saml:NameID', () => `<saml:NameID${qualifiers}`).replace(/ SessionIndex="[^"]*"/, '');
    const misbehave = { beforeSigning };
    const { visitor } = await signInByCorp(now().first, now().idp, {
      misbehave,
      nameId: `<&"'${ADA}`,
      attributes: { email: ADA },
    });

    const answer = await visitor.submit(await visitor.get('/settings/security'), '/logout');

    expect(textOf(sentOn(answer), 'SAMLRequest')).toContain(
      `<saml:NameID${qualifiers} Format="${EMAIL_FORMAT}">&lt;&amp;&quot;'${ADA}</saml:NameID></samlp:LogoutRequest>`,
    );
  });

  test('ends the session here when the provider’s metadata cannot be had', async () => {
    await givenProvider();
    const { visitor } = await signInByCorp(now().first, now().idp);
    await harness.query(
      `update sso_providers set settings = settings - 'logout_url' || '{"metadata_url": "http://127.0.0.1:1/"}'`,
    );

    const answer = await visitor.submit(await visitor.get('/settings/security'), '/logout');

    expect([answer.location, await sessionsLeft(harness)]).toEqual(['/sessions/new?notice=signed_out', []]);
  });

  test('keeps only digests of what comes back', async () => {
    await givenProvider();
    const { visitor } = await signInByCorp(now().first, now().idp);

    const answer = await visitor.submit(await visitor.get('/settings/security'), '/logout');

    const relayState = new URLSearchParams(sentOn(answer).query).get('RelayState') ?? '';
    const rows = await harness.query(
      `select to_jsonb(p) as row, round(extract(epoch from expires_at - created_at) / 60) as minutes
       from pending_logins p`,
    );
    expect(rows).toMatchObject([{ minutes: '10', row: { purpose: 'logout', provider: 'corp' } }]);
    expect(relayState).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(rows)).not.toContain(relayState);
  });
});

const byStranger = () => ({ key: now().stranger });

describe('the answer to a sign-out', () => {
  const RELAY = 'r'.repeat(43);
  beforeEach(async () => {
    await givenProvider();
    await harness.query(
      `insert into pending_logins (digest, browser_digest, provider, purpose, secrets, created_at, expires_at)
       values (sha256($1), sha256($1), 'corp', 'logout', '{"requestId": "_asked"}', now(), now() + interval '1 minute')`,
      [Buffer.from(RELAY)],
    );
    await givenSession(harness, await givenAccount(harness), '_laptop');
  });

  const answered = (binding: Binding, changes: LogoutWords = {}, posting: Partial<Posting> = {}) =>
    post(
      binding,
      'SAMLResponse',
      writeLogout('SAMLResponse', words({ inResponseTo: '_asked', ...changes })),
      { key: now().theirs, relayState: RELAY, ...posting },
    );

  test.each(BINDINGS)(
    'that is no success leaves the person signed out here, and says so: %s',
    async (binding) => {
      const answer = await bring(now().first, answered(binding, { status: 'Responder' }));
      const page = await visit(now().first).follow(answer);

      expect([answer.status, answer.location]).toEqual([303, '/sessions/new?notice=signed_out_here']);
      expect(page.text).toContain('did not confirm that you are signed out there');
      expect(await sessionsLeft(harness)).toEqual(['_laptop']);
    },
  );

  test.each<[string, string, () => Sent]>([
    ['unsigned, by redirect', 'signature_missing', () => answered('redirect', {}, { signed: null })],
    ['unsigned, by form', 'signature_missing', () => answered('post', {}, { signed: null })],
    ['signed by another key, by redirect', 'signature_invalid', () => answered('redirect', {}, byStranger())],
    ['signed by another key, by form', 'signature_invalid', () => answered('post', {}, byStranger())],
    ['of another issuer', 'issuer_mismatch', () => answered('post', { issuer: 'https://evil.example' })],
    [
      'for elsewhere',
      'destination_mismatch',
      () => answered('redirect', { destination: `${ENTITY}/callback` }),
    ],
    ['to another request', 'response_mismatch', () => answered('redirect', { inResponseTo: '_another' })],
    ['to no request', 'response_mismatch', () => answered('post', { inResponseTo: null })],
    ['too old', 'token_expired', () => answered('redirect', { issuedAt: -400 })],
    [
      'a request',
      'logout_message_invalid',
      () =>
        post('post', 'SAMLResponse', writeLogout('SAMLRequest', words()), {
          key: now().theirs,
          relayState: RELAY,
        }),
    ],
  ])('confirms nothing when it is %s (%s), and alarms nobody', async (_, reason, make) => {
    now().lines.length = 0;

    const answer = await bring(now().first, make());

    expect([answer.status, answer.location]).toEqual([303, '/sessions/new?notice=signed_out_here']);
    const refusals = now().lines.filter(({ event }) => event !== 'request');
    expect(refusals).toMatchObject([{ event: 'logout_refused', provider: 'corp', reason }]);
    expect([await sessionsLeft(harness), await departures(harness)]).toEqual([['_laptop'], []]);
  });

  test('with another RelayState is refused: it answers no sign-out of this service', async () => {
    const answer = await bring(now().first, answered('redirect', {}, { relayState: 's'.repeat(43) }));

    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('you are signed out here')]);
    const reference = answer.root.querySelector('code')?.text;
    expect(answer.root.text).toContain(`${reference}, which is in the server's log`);
    expect(now().lines).toContainEqual(
      expect.objectContaining({ event: 'logout_refused', request_id: reference }),
    );
    expect(await sessionsLeft(harness)).toEqual(['_laptop']);
  });

  test('of another provider is refused', async () => {
    const other = await createSamlIdp({ base: 'https://other.example.com' });
    await harness.perform((work) => createProvider(work, other.fields({ name: 'other' })));
    const destination = 'http://localhost:3000/auth/saml/other/logout';
    const sent = answered('redirect', { issuer: other.entityId, destination });

    const answer = await bring(now().first, sent, '/auth/saml/other/logout');

    expect(answer.status).toBe(403);
  });
});

describe('a provider that ends sessions', () => {
  test.each(BINDINGS)('ends those it names, in every process, and hears of it: %s', async (binding) => {
    await givenProvider({
      logout_binding: binding,
      logout_response_url: 'https://now().idp.example.com/done',
    });
    const { visitor } = await signInByCorp(now().first, now().idp, { sessionIndex: '_laptop' });
    await signInByCorp(now().first, now().idp, { sessionIndex: '_phone' });
    await givenSession(harness, await givenAccount(harness, 'eve@example.com'), '_laptop');
    const { idp: samlify, sp } = samlifyPair(now().idp, (await visitor.get('/auth/saml/corp/metadata')).text);
    const wish = samlify.createLogoutRequest(
      sp,
      binding,
      { logoutNameID: ADA, sessionIndex: '_laptop' },
      { relayState: 'theirs & back' },
    );
    const sent: Sent =
      binding === 'redirect'
        ? { query: new URL(wish.context).search.slice(1) }
        : { form: { SAMLRequest: wish.context, RelayState: 'theirs & back' } };

    const answer = await bring(now().second, sent);

    expect([await isSignedIn(visitor), await isSignedIn(elsewhere(visitor, now().second))]).toEqual([
      false,
      false,
    ]);
    expect(await sessionsLeft(harness)).toEqual(['_laptop', '_phone']);
    expect(await departures(harness)).toMatchObject([
      {
        event_type: 'logout',
        provider: 'corp',
        user_id: expect.any(String),
        actor_id: null,
        metadata: { reason: 'saml_logout', sessions: 1 },
      },
    ]);
    const ourAnswer = sentOn(answer);
    const heard = await samlify.parseLogoutResponse(sp, binding, asRequest(ourAnswer));
    expect(ourAnswer.to).toBe('https://now().idp.example.com/done');
    expect(heard.extract).toMatchObject({
      issuer: ENTITY,
      response: { inResponseTo: wish.id, destination: 'https://now().idp.example.com/done' },
    });
    expect(textOf(ourAnswer, 'SAMLResponse')).toContain(SUCCESS);
    const echoed = ourAnswer.form?.RelayState ?? new URLSearchParams(ourAnswer.query).get('RelayState');
    expect(echoed).toBe('theirs & back');
    expect(answer.headers.get('x-frame-options')).toBeNull();
    expect(answer.headers.get('content-security-policy') ?? '').not.toContain('frame-ancestors');
  });

  test.each<[string, LogoutWords, (string | null)[]]>([
    ['all of the person', {}, ['_phone of eve']],
    ['several', { sids: ['_laptop', '_phone'] }, ['_desk', '_phone of eve']],
    ['none of another', { sids: ['_phone of eve'] }, ['_desk', '_laptop', '_phone', '_phone of eve']],
    ['none of a stranger', { nameId: 'nobody@example.com' }, ['_desk', '_laptop', '_phone', '_phone of eve']],
  ])('ends %s', async (_, changes, left) => {
    await givenProvider();
    const ada = await givenAccount(harness);
    await givenSession(harness, ada, '_laptop');
    await givenSession(harness, ada, '_phone');
    await givenSession(harness, ada, '_desk');
    await givenSession(harness, await givenAccount(harness, 'eve@example.com'), '_phone of eve');

    const answer = await bring(now().first, request('redirect', changes));

    expect([answer.status, await sessionsLeft(harness)]).toEqual([303, left]);
  });

  test('may name the person so that others cannot read it', async () => {
    const key = await samlKey('for what is encrypted to us');
    await givenProvider({ decryption_key: key.privateKey, decryption_certificate: key.certificate });
    const nameId = `<saml:NameID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${ADA}</saml:NameID>`;
    const encrypted = (how: 'gcm-oaep' | 'cbc-oaep' | 'gcm-rsa15') =>
      `<saml:EncryptedID>${encryptXml(nameId, key.certificate, how)}</saml:EncryptedID>`;
    await givenSession(harness, await givenAccount(harness), '_laptop');

    const weak = await bring(now().first, request('post', { nameIdXml: encrypted('cbc-oaep') }));
    const weaker = await bring(now().first, request('redirect', { nameIdXml: encrypted('gcm-rsa15') }));
    const before = await sessionsLeft(harness);
    const strong = await bring(now().first, request('redirect', { nameIdXml: encrypted('gcm-oaep') }));

    expect([weak.status, weaker.status, before]).toEqual([403, 403, ['_laptop']]);
    expect([strong.status, await sessionsLeft(harness)]).toEqual([303, []]);
  });

  test('may be turned off, without a key of ours, and want to hear nothing', async () => {
    await givenProvider({
      enabled: false,
      private_key: undefined,
      sp_certificate: undefined,
      logout_url: undefined,
    });
    await givenSession(harness, await givenAccount(harness), '_laptop');

    const answer = await bring(now().first, request('post'));

    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('You are signed out.')]);
    expect(await sessionsLeft(harness)).toEqual([]);
    expect(answer.headers.get('x-frame-options')).toBeNull();
  });

  test('hears its own RelayState, in an address that a browser does not change', async () => {
    await givenProvider();
    const { idp: samlify, sp } = samlifyPair(
      now().idp,
      (await visit(now().first).get('/auth/saml/corp/metadata')).text,
    );

    const answer = await bring(now().first, request('post', {}, { relayState: "it's (theirs)" }));

    const { search, searchParams } = new URL(answer.location);
    expect(searchParams.get('RelayState')).toBe("it's (theirs)");
    await samlify.parseLogoutResponse(sp, 'redirect', asRequest({ query: search.slice(1) }));
  });

  test('hears an unsigned answer where we have no key', async () => {
    await givenProvider({ private_key: undefined, sp_certificate: undefined });

    const answer = await bring(now().first, request('redirect'));

    expect([...new URL(answer.location).searchParams.keys()]).toEqual(['SAMLResponse']);
  });

  test('may use SHA-1 where it was allowed', async () => {
    await givenProvider({ allow_sha1: true });
    const sha1 = { choices: { signatureAlgorithm: 'sha1', digestAlgorithm: 'sha1' } } as const;

    const answers = await Promise.all(
      BINDINGS.map((binding) => bring(now().first, request(binding, {}, sha1))),
    );

    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
  });

  test.each(BINDINGS)('is heard once: %s', async (binding) => {
    await givenProvider();
    const account = await givenAccount(harness);
    const sent = request(binding);
    await bring(now().first, sent);
    await givenSession(harness, account, '_later');

    const again = await bring(now().second, sent);

    expect([again.status, await sessionsLeft(harness)]).toEqual([403, ['_later']]);
  });

  test('may have a new key since its metadata was read', async () => {
    const next = await createSamlIdp({ keyName: 'the next key' });
    let published = now().idp.metadata();
    const server = await listenOnLoopback((_, response) => void response.end(published));
    const said = { sso_url: undefined, entity_id: undefined, certificate: undefined, logout_url: undefined };
    await givenProvider({ ...said, metadata_url: `http://127.0.0.1:${server.port}/` });
    await givenSession(harness, await givenAccount(harness), '_laptop');
    await bring(now().first, request('redirect', { nameId: 'eve@example.com' }));
    published = next.metadata();

    const answer = await bring(
      now().first,
      request('redirect', {}, { key: { privateKey: next.key, certificate: next.certificate } }),
    );

    await server.close();
    expect([answer.status, await sessionsLeft(harness)]).toEqual([303, []]);
  });

  test.each<[string, LogoutWords, boolean]>([
    ['before the end of that session', { sids: ['_laptop', '_laptop'] }, false],
    ['before the end of all sessions', { sids: [] }, false],
    ['before the end of another session', { sids: ['_phone'] }, true],
    ['before the end of somebody else’s', { nameId: 'eve@example.com', sids: ['_laptop'] }, true],
    ['after the end of that session', { sids: ['_laptop'], issuedAt: -30 }, true],
  ])('is heard by a sign-in that was proven %s', async (_, wish, enters) => {
    await givenProvider();
    const visitor = visit(now().first);
    const asked = await askCorp(visitor, now().idp);
    const answer = await reply(now().idp, asked, { sessionIndex: '_laptop' });
    const { location } = await postAcross(now().first, visitor, answer);

    const heard = await bring(now().second, request('post', wish));
    await visitor.get(location);

    expect([heard.status < 400, await isSignedIn(visitor)]).toEqual([true, enters]);
  });

  test('is not known under another name', async () => {
    expect((await bring(now().first, request('redirect'), '/auth/saml/nobody/logout')).status).toBe(404);
  });
});
