import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { createProvider } from '#src/sso/providers/create-provider.ts';
import { isSignedIn } from '#test/http/federated.ts';
import { givenPerson, signIn } from '#test/http/people.ts';
import {
  BINDINGS,
  bring,
  departures,
  ENTITY,
  givenAccount,
  givenSession,
  sessionsLeft,
  useLeaving,
} from '#test/http/saml-leaving.ts';
import { createSamlIdp } from '#test/sso/support/saml-idp.ts';
import {
  deflated,
  type LogoutWords,
  type Posting,
  post,
  type Sent,
  signedByHmac,
  writeLogout,
} from '#test/sso/support/saml-idp-logout.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });
const { now, words, request, givenProvider } = useLeaving(harness);

beforeEach(async () => {
  await givenProvider();
  await givenSession(harness, await givenAccount(harness), '_laptop');
});

/** Moves what was signed aside, and says something else. */
function wrapped(xml: string): string {
  const signature = /<Signature [\s\S]*?<\/Signature>/.exec(xml)?.[0] ?? '';
  const bare = xml.replace(signature, '');
  const evil = bare.replaceAll('eve@', 'ada@').replace(/ ID="[^"]*"/, ` ID="_${randomUUID()}"`);
  return evil.replace(
    '</saml:Issuer>',
    `</saml:Issuer>${signature.replace('</Signature>', `<Object>${bare}</Object></Signature>`)}`,
  );
}

const DOCTYPE = '<!DOCTYPE r [<!ENTITY e "x">]>';
const EVE = { nameId: 'eve@example.com' };
const replacing = (from: string | RegExp, to: string) => ({
  afterSigning: (sent: string) => sent.replace(from, () => to),
});

/** What was signed, inside of something that was not. */
function nested(xml: string): string {
  const evil = writeLogout('SAMLRequest', words());
  return evil.replace('</saml:Issuer>', `</saml:Issuer><samlp:Extensions>${xml}</samlp:Extensions>`);
}

type Case = [name: string, reason: string, make: () => Sent];
const both = (name: string, reason: string, changes: LogoutWords, posting: Partial<Posting> = {}): Case[] =>
  BINDINGS.map((binding) => [`${name}: ${binding}`, reason, () => request(binding, changes, posting)]);
const byForm = (name: string, reason: string, changes: LogoutWords, posting: Partial<Posting> = {}): Case => [
  `${name}: post`,
  reason,
  () => request('post', changes, posting),
];
const byQuery = (
  name: string,
  reason: string,
  changes: LogoutWords,
  posting: Partial<Posting> | (() => Partial<Posting>) = {},
): Case => [
  `${name}: redirect`,
  reason,
  () => request('redirect', changes, typeof posting === 'function' ? posting() : posting),
];
const adas = () => deflated(writeLogout('SAMLRequest', words()));
const sha1 = { signatureAlgorithm: 'sha1', digestAlgorithm: 'sha1' } as const;
const twoPeople = '<saml:NameID>ada@example.com</saml:NameID><saml:NameID>b</saml:NameID>';

test.each<Case>([
  ...both('unsigned', 'signature_missing', {}, { signed: null }),
  ...both('signed with SHA-1', 'algorithm_refused', {}, { choices: sha1 }),
  byForm('a digest with SHA-1', 'algorithm_refused', {}, { choices: { digestAlgorithm: 'sha1' } }),
  byForm('changed after it was signed', 'signature_invalid', EVE, replacing('eve@', 'ada@')),
  byForm('a wrapped signature', 'signature_invalid', EVE, { afterSigning: wrapped }),
  byForm('what is signed is somewhere inside', 'signature_missing', EVE, { afterSigning: nested }),
  byForm('a DOCTYPE', 'message_invalid', {}, { afterSigning: (xml) => DOCTYPE + xml }),
  byForm('too much', 'message_too_large', {}, { afterSigning: (xml) => xml + '<!-- -->'.repeat(200) }),
  byQuery('a DOCTYPE', 'message_invalid', { doctype: true }),
  byQuery('changed after it was signed', 'signature_invalid', EVE, () =>
    replacing(/SAMLRequest=[^&]*/, `SAMLRequest=${adas()}`),
  ),
  byQuery(
    'another RelayState',
    'signature_invalid',
    {},
    { relayState: 'a', ...replacing('State=a', 'State=b') },
  ),
  byQuery('no SigAlg', 'algorithm_refused', {}, replacing(/&SigAlg=[^&]*/, '')),
  byQuery('another SigAlg', 'signature_invalid', {}, replacing('rsa-sha256', 'rsa-sha512')),
  byQuery('an unknown SigAlg', 'algorithm_refused', {}, replacing('rsa-sha256', 'rsa-md5')),
  byQuery('an empty signature', 'signature_invalid', {}, replacing(/&Signature=.*/, '&Signature=')),
  byQuery(
    'a parameter twice',
    'logout_message_invalid',
    {},
    {
      afterSigning: (query) => `${query}&${query.split('&')[0]}`,
    },
  ),
  byQuery('two messages', 'logout_message_invalid', {}, replacing(/$/, '&SAMLResponse=x')),
  byQuery('an encoded name', 'logout_message_invalid', EVE, () => replacing(/^/, `%53AMLRequest=${adas()}&`)),
  byQuery('an encoded RelayState', 'logout_message_invalid', {}, replacing(/$/, '&Relay%53tate=x')),
  byQuery('a broken escape', 'logout_message_invalid', {}, replacing('SAMLRequest=', 'SAMLRequest=%')),
  byQuery('an unknown encoding', 'logout_message_invalid', {}, replacing(/$/, '&SAMLEncoding=gzip')),
  ...both('RelayState beyond measure', 'logout_message_invalid', {}, { relayState: 'x'.repeat(2_001) }),
  ...both('another issuer', 'issuer_mismatch', { issuer: 'https://evil.example' }),
  byQuery('no issuer', 'issuer_mismatch', { issuer: null }),
  ...both('another destination', 'destination_mismatch', { destination: `${ENTITY}/callback` }),
  ...both('no destination', 'destination_mismatch', { destination: null }),
  ...both('six minutes old', 'token_expired', { issuedAt: -361 }),
  ...both('from the future', 'token_not_yet_valid', { issuedAt: 90 }),
  ...both('over', 'token_expired', { notOnOrAfter: -61 }),
  ...both('another version', 'logout_message_invalid', { version: '1.1' }),
  ...both('nobody named', 'logout_message_invalid', { nameIdXml: '' }),
  ...both('two people named', 'logout_message_invalid', { nameIdXml: twoPeople }),
  ...both('nobody we could read', 'assertion_undecipherable', {
    nameIdXml: '<saml:EncryptedID></saml:EncryptedID>',
  }),
  ['signed with another key: post', 'signature_invalid', () => request('post', {}, { key: now().stranger })],
  [
    'signed with another key: redirect',
    'signature_invalid',
    () => request('redirect', {}, { key: now().stranger }),
  ],
  [
    'no request: post',
    'logout_message_invalid',
    () => post('post', 'SAMLRequest', writeLogout('SAMLResponse', words()), { key: now().theirs }),
  ],
  [
    'a signed bomb: redirect',
    'message_too_large',
    () => post('redirect', 'SAMLRequest', ' '.repeat(300_000), { key: now().theirs }),
  ],
  [
    'an unsigned bomb: redirect',
    'signature_missing',
    () => ({ query: `SAMLRequest=${deflated(' '.repeat(300_000))}` }),
  ],
  [
    'a shared secret: redirect',
    'algorithm_refused',
    () => ({ query: signedByHmac(request('redirect').query ?? '', now().theirs.certificate) }),
  ],
  ['nothing: post', 'logout_message_invalid', () => ({ form: {} })],
  ['nothing: redirect', 'logout_message_invalid', () => ({ query: '' })],
  ['nonsense: post', 'message_invalid', () => ({ form: { SAMLRequest: 'nonsense' } })],
])('a request to sign out is refused, and ends nothing: %s (%s)', async (_, reason, make) => {
  now().lines.length = 0;

  const answer = await bring(now().first, make());

  expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('ended no session here')]);
  // Slow ones are noted too.
  const refusals = now().lines.filter(({ event }) => event !== 'request');
  expect(refusals).toMatchObject([{ event: 'logout_refused', provider: 'corp', reason }]);
  expect([await sessionsLeft(harness), await departures(harness)]).toEqual([['_laptop'], []]);
});

test('a message of another provider ends nothing, whoever signed it', async () => {
  const other = await createSamlIdp({ base: 'https://other.example.com' });
  await harness.perform((work) => createProvider(work, other.fields({ name: 'other' })));
  const destination = 'http://localhost:3000/auth/saml/other/logout';

  const strayed = await bring(now().first, request('redirect', { issuer: other.entityId }));
  const answered = await bring(
    now().first,
    request('redirect', { issuer: other.entityId, destination }),
    '/auth/saml/other/logout',
  );

  // It may say so of its own people, who are others.
  expect([strayed.status, answered.status, await sessionsLeft(harness)]).toEqual([403, 200, ['_laptop']]);
});

test('a refusal is told on a page that shows nothing of who looks, and may be framed', async () => {
  const visitor = await signIn(now().first, await givenPerson(harness));

  const answer = await visitor.get(
    `/auth/saml/corp/logout?${request('redirect', {}, { signed: null }).query}`,
  );

  expect(answer.text).toContain('ended no session here');
  expect(answer.root.querySelector('form')).toBeNull();
  expect(answer.headers.get('x-frame-options')).toBeNull();
  expect(await isSignedIn(visitor)).toBe(true);
});

test('a form is refused unread beyond 384 KiB', async () => {
  const answer = await bring(now().first, { form: { SAMLRequest: 'A'.repeat(400_000) } });

  expect([answer.status, await sessionsLeft(harness)]).toEqual([413, ['_laptop']]);
});
