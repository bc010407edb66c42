import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { tidy } from '#src/kernel/tidy.ts';
import { EXPIRED_PROOFS } from '#src/sso/login/use-once.ts';
import { elsewhere, isSignedIn, type Recorded, recorded, snapshot } from '#test/http/federated.ts';
import {
  askCorp,
  CORP_CALLBACK,
  givenCorp,
  postAcross,
  reply,
  signInByCorp,
} from '#test/http/saml-federated.ts';
import { type Served, serve } from '#test/http/serve.ts';
import { type Visited, type Visitor, visit } from '#test/http/visitor.ts';
import { givenMetadata } from '#test/sso/given-metadata.ts';
import {
  type AnswerOptions,
  createSamlIdp,
  EMAIL_FORMAT,
  type PostedAnswer,
  type SamlIdp,
} from '#test/sso/support/saml-idp.ts';
import { samlKey } from '#test/sso/support/saml-keys.ts';
import type { Misbehaviour } from '#test/sso/support/saml-misbehaviour.ts';
import type { ReceivedRequest } from '#test/sso/support/saml-request.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

let idp: SamlIdp;
let served: Served;
beforeAll(async () => {
  idp = await createSamlIdp();
  served = await serve(harness.runtime);
});
afterAll(() => served[Symbol.asyncDispose]());

const failures = async (): Promise<Recorded[]> =>
  (await recorded(harness)).filter(({ event_type }) => event_type === 'login_failed');

interface Expected {
  reason: string;
  before: unknown;
  status?: number;
}

/** No session, nothing changed, one record with the reason, and a page that says the same reference. */
async function expectRefusal(visitor: Visitor, answer: Visited, { reason, before, status = 403 }: Expected) {
  const failed = await failures();
  expect([answer.status, failed.map(({ metadata }) => metadata.reason)]).toEqual([status, [reason]]);
  expect(failed).toMatchObject([
    { provider: 'corp', request_id: answer.headers.get('x-request-id'), metadata: { method: 'saml' } },
  ]);
  const [row] = await harness.query(
    `select ip_address from audit_events where event_type = 'login_failed' order by created_at desc limit 1`,
  );
  expect(row).toEqual({ ip_address: '127.0.0.1' });
  expect(answer.root.querySelector('main code')?.text).toBe(failed[0]?.request_id);
  expect(answer.root.querySelector('main p')?.text).toMatch(/^[A-Z].*\.$/);
  expect(answer.root.querySelector('a[href="/sessions/new"]')).not.toBeNull();
  expect(await isSignedIn(visitor)).toBe(false);
  expect(await snapshot(harness)).toEqual(before);
}

/** What is signed of each is not what would be read, or there is too much of it. */
const WRAPPED: Partial<Record<number, string>> = {
  3: 'message_invalid',
  4: 'signature_missing',
  5: 'message_invalid',
};
const XSW = ([1, 2, 3, 4, 5, 6, 7, 8] as const).map((wrap): [string, Misbehaviour, string] => [
  `wrapped in way ${wrap}`,
  { wrap },
  WRAPPED[wrap] ?? 'signature_invalid',
]);

describe('an answer that is not what it should be signs nobody in', () => {
  beforeEach(async () => {
    await givenCorp(harness, idp);
  });

  test.each<[string, Misbehaviour, string]>([
    ['not signed', { sign: 'none' }, 'signature_missing'],
    ['signed with another key', { otherKey: true }, 'signature_invalid'],
    [
      'changed after it was signed',
      { afterSigning: (xml) => xml.replaceAll('ada@', 'eve@') },
      'signature_invalid',
    ],
    ['signed with SHA-1', { signatureAlgorithm: 'sha1' }, 'algorithm_refused'],
    ['digested with SHA-1', { digestAlgorithm: 'sha1' }, 'algorithm_refused'],
    ...XSW,
    ['with a document type', { doctype: true }, 'message_invalid'],
    ['too deep', { beforeSigning: nest }, 'message_too_large'],
    ['without conditions', { conditions: null }, 'conditions_missing'],
    ['for no audience', { audience: null }, 'conditions_missing'],
    ['for another audience', { audience: 'https://other.example.com' }, 'audience_mismatch'],
    ['for another address', { destination: 'https://other.example.com/callback' }, 'destination_mismatch'],
    ['for another recipient', { recipient: 'https://other.example.com/callback' }, 'recipient_mismatch'],
    ['for nobody who brings it', { confirmation: null }, 'confirmation_missing'],
    ['good for ever', { confirmationNotOnOrAfter: null }, 'confirmation_missing'],
    ['of another issuer', { issuer: 'https://other.example.com' }, 'issuer_mismatch'],
    ['of another issuer inside', { assertionIssuer: 'https://other.example.com' }, 'issuer_mismatch'],
    ['too old', { notOnOrAfter: -61 }, 'token_expired'],
    ['confirmed too long ago', { confirmationNotOnOrAfter: -61 }, 'token_expired'],
    ['too young', { notBefore: 70 }, 'token_not_yet_valid'],
    ['to another request', { inResponseTo: '_another' }, 'response_mismatch'],
    ['to no request', { inResponseTo: null }, 'response_unsolicited'],
    ['without an assertion', { noAssertion: true }, 'assertion_missing'],
    ['about nobody', { noNameId: true }, 'subject_missing'],
    [
      'a refusal',
      { status: 'Responder', subStatus: 'AuthnFailed', noAssertion: true, sign: 'response' },
      'access_denied',
    ],
  ])('%s', async (_, misbehave, reason) => {
    const visitor = visit(served);
    const request = await askCorp(visitor, idp);
    const before = await snapshot(harness);

    const answer = await postAcross(served, visitor, await reply(idp, request, { misbehave }));

    await expectRefusal(visitor, answer, { reason, before });
  });
});

function nest(assertion: string): string {
  const [open, close] = ['<saml:Advice>', '</saml:Advice>'].map((tag) => tag.repeat(70));
  return assertion.replace('<saml:AuthnStatement', `${open}${close}<saml:AuthnStatement`);
}

interface Begun {
  visitor: Visitor;
  request: ReceivedRequest;
  form: PostedAnswer;
}

async function begin(options: Partial<AnswerOptions> = {}): Promise<Begun> {
  const visitor = visit(served);
  const request = await askCorp(visitor, idp);
  return { visitor, request, form: await reply(idp, request, { misbehave: {}, ...options }) };
}

describe('an answer that nobody waits for signs nobody in', () => {
  test.each<[string, (begun: Begun) => Promise<Visited>, string]>([
    [
      'without RelayState',
      ({ visitor, form }) => postAcross(served, visitor, { SAMLResponse: form.SAMLResponse }),
      'response_unsolicited',
    ],
    [
      'with another RelayState',
      ({ visitor, form }) => postAcross(served, visitor, { ...form, RelayState: 'A'.repeat(43) }),
      'state_mismatch',
    ],
    [
      'after ten minutes',
      async ({ visitor, form }) => {
        await harness.query(`update pending_logins set expires_at = now() - interval '1 second'`);
        return postAcross(served, visitor, form);
      },
      'state_mismatch',
    ],
    [
      'and that comes too late after it was proven',
      async ({ visitor, form }) => {
        const { location } = await postAcross(served, visitor, form);
        await harness.query(`update pending_logins set expires_at = now() - interval '1 second'`);
        return visitor.get(location);
      },
      'state_mismatch',
    ],
    [
      'after another one to the same request',
      async ({ visitor, request, form }) => {
        await postAcross(served, visitor, await reply(idp, request));
        return postAcross(served, visitor, form);
      },
      'state_mismatch',
    ],
    [
      'in a browser that began nothing',
      async ({ visitor, form }) => {
        const { location } = await postAcross(served, visitor, form);
        visitor.cookies.clear();
        await visitor.get('/sessions/new');
        return visitor.get(location);
      },
      'state_mismatch',
    ],
    [
      'before it has come',
      ({ visitor, request }) => visitor.get(`${CORP_CALLBACK}?state=${request.relayState}`),
      'callback_invalid',
    ],
    [
      'in the address',
      ({ visitor, form }) =>
        visitor.get(`${CORP_CALLBACK}?state=${form.RelayState}&${new URLSearchParams(form)}`),
      'callback_invalid',
    ],
    [
      'without a message',
      ({ visitor, form }) => postAcross(served, visitor, { RelayState: form.RelayState ?? '' }),
      'callback_invalid',
    ],
    [
      'with two messages',
      ({ visitor, form }) => postAcross(served, visitor, `${new URLSearchParams(form)}&SAMLResponse=x`),
      'callback_invalid',
    ],
    [
      'with two RelayStates',
      ({ visitor, form }) => postAcross(served, visitor, `${new URLSearchParams(form)}&RelayState=x`),
      'callback_invalid',
    ],
    [
      'with no message at all',
      ({ visitor, form }) => postAcross(served, visitor, { ...form, SAMLResponse: '%%%' }),
      'message_invalid',
    ],
  ])('%s', async (_, act, reason) => {
    await givenCorp(harness, idp);
    const begun = await begin();
    const before = await snapshot(harness);

    const answer = await act(begun);

    await expectRefusal(begun.visitor, answer, { reason, before });
  });

  test('that a login is claimed by is the only one, even when two come at once', async () => {
    await givenCorp(harness, idp);
    const { visitor, form } = await begin();

    const answers = await Promise.all([1, 2, 3].map(() => postAcross(served, visitor, form)));

    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['303', '403', '403']);
    expect((await failures()).map(({ metadata }) => metadata.reason)).toEqual([
      'state_mismatch',
      'state_mismatch',
    ]);
    const location = answers.find(({ status }) => status === 303)?.location ?? '';
    expect((await visitor.get(location)).status).toBe(303);
  });
});

test.each([
  ['', {}, 'response_unsolicited'],
  ['where providers may begin', { allow_idp_initiated: true }, 'response_mismatch'],
])('an answer that was used before is refused and disturbs nobody %s', async (_, changes, reasonOfBare) => {
  await givenCorp(harness, idp, changes);
  const { visitor, form } = await begin();
  const posted = await postAcross(served, visitor, form);
  await visitor.get(posted.location);
  const before = await snapshot(harness);
  const mallory = visit(served);

  const again = await postAcross(served, mallory, form);
  const bare = await postAcross(served, mallory, { SAMLResponse: form.SAMLResponse });
  const back = await elsewhere(visitor, served).get(posted.location);

  expect([again.status, bare.status, back.status]).toEqual([403, 403, 403]);
  expect(again.text).toContain('This answer has been used before.');
  expect((await failures()).map(({ metadata }) => metadata.reason)).toEqual([
    'assertion_replayed',
    reasonOfBare,
    'state_mismatch',
  ]);
  expect([await isSignedIn(visitor), await isSignedIn(mallory)]).toEqual([true, false]);
  expect(await snapshot(harness)).toEqual(before);
});

test.each<[string, Misbehaviour]>([
  ['is not signed', { sign: 'none' }],
  ['is signed by nobody known', { otherKey: true }],
])('that an answer was used is not said because of one that names it and %s', async (_, misbehave) => {
  await givenCorp(harness, idp);
  const assertionId = '_the-same';
  const { visitor, request, form } = await begin({ misbehave: { assertionId } });
  await visitor.get((await postAcross(served, visitor, form)).location);

  await postAcross(
    served,
    visit(served),
    await reply(idp, request, { misbehave: { assertionId, ...misbehave } }),
  );

  expect((await failures()).map(({ metadata }) => metadata.reason)).toEqual(['state_mismatch']);
});

test('an answer that has been proven twice is used once, however late the second one is asked for', async () => {
  await givenCorp(harness, idp, { allow_idp_initiated: true });
  const form = await idp.answer({ acsUrl: harness.runtime.config.http.appUrl + CORP_CALLBACK });
  const [visitor, mallory] = [visit(served), visit(served)];
  const first = await postAcross(served, visitor, form);
  const second = await postAcross(served, mallory, form);
  await visitor.get(first.location);

  // As late as it can be: the answer is of no more use by itself, but what came of it still waits.
  await harness.query(`update used_assertions set expires_at = now() - interval '9 minutes'`);
  await harness.query(EXPIRED_PROOFS);
  const late = await mallory.get(second.location);

  expect([late.status, await isSignedIn(visitor), await isSignedIn(mallory)]).toEqual([403, true, false]);
  expect((await failures()).map(({ metadata }) => metadata.reason)).toEqual(['assertion_replayed']);
});

test('one source cannot keep everybody else waiting by answers that take long', async () => {
  await givenCorp(harness, idp, { allow_idp_initiated: true });
  const acsUrl = harness.runtime.config.http.appUrl + CORP_CALLBACK;
  const large: Misbehaviour = {
    sign: 'none',
    beforeSigning: (xml) => xml.replace('<saml:Subject>', `${'<a/>'.repeat(3_900)}<saml:Subject>`),
  };
  const form = await idp.answer({ acsUrl, misbehave: large });

  const answers = await Promise.all(
    Array.from({ length: 100 }, () => postAcross(served, visit(served), form)),
  );

  const turnedAway = answers.filter(({ status }) => status === 429);
  expect(turnedAway.length).toBeGreaterThan(0);
  expect(turnedAway[0]?.headers.get('retry-after')).toBe('5');
  expect(await failures()).toHaveLength(answers.length - turnedAway.length);
  const { visitor } = await signInByCorp(served, idp);
  expect(await isSignedIn(visitor)).toBe(true);
});

test('what is remembered of answers goes as fast as it came', async () => {
  const runtime = { ...harness.runtime };
  await harness.query(`insert into used_assertions
    select 'corp', n::text, now() - interval '1 day' from generate_series(1, 2500) as n`);
  const left = async () => {
    tidy(runtime, EXPIRED_PROOFS);
    return (await harness.query('select 1 from used_assertions')).length;
  };

  await expect.poll(left).toBe(0);
});

const UNSPECIFIED = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const qualified = (domain: string): Misbehaviour => ({
  beforeSigning: (xml) => xml.replace('<saml:NameID ', `<saml:NameID NameQualifier="${domain}" `),
});

describe('a known NameID signs nobody in when it comes', () => {
  test.each<[string, Misbehaviour, Misbehaviour]>([
    ['in another format than is asked for', {}, { nameIdFormat: UNSPECIFIED }],
    ['in no format', {}, { nameIdFormat: null }],
    ['from another domain', qualified('one'), qualified('another')],
  ])('%s', async (_, known, other) => {
    await givenCorp(harness, idp);
    await signInByCorp(served, idp, { misbehave: known });
    const before = await snapshot(harness);

    const { visitor, answer } = await signInByCorp(served, idp, { misbehave: other });

    await expectRefusal(visitor, answer, { reason: 'subject_changed', before });
  });

  test('in another format than the metadata makes us ask for, here and in our metadata', async () => {
    const xml = idp.metadata().replace(EMAIL_FORMAT, PERSISTENT);
    await using metadata = await givenMetadata(xml);
    const { url } = metadata;
    await givenCorp(harness, idp, { metadata_url: url, entity_id: null, sso_url: null, certificate: null });
    const unread = await visit(served).get('/auth/saml/corp/metadata');
    const request = await askCorp(visit(served), idp);
    const said = { nameId: 'badge-7', attributes: { email: 'ada@example.com' }, nameIdFormat: PERSISTENT };
    await signInByCorp(served, idp, said);
    const before = await snapshot(harness);

    const { visitor, answer } = await signInByCorp(served, idp, { ...said, nameIdFormat: UNSPECIFIED });

    const ours = await visit(served).get('/auth/saml/corp/metadata');
    expect(unread.text).toContain(`<md:NameIDFormat>${EMAIL_FORMAT}<`);
    expect(request.nameIdFormat).toBe(PERSISTENT);
    expect(ours.text).toContain(`<md:NameIDFormat>${PERSISTENT}<`);
    await expectRefusal(visitor, answer, { reason: 'subject_changed', before });
  });

  test('but does where that is what the provider always sent', async () => {
    await givenCorp(harness, idp);
    await signInByCorp(served, idp, { misbehave: { nameIdFormat: UNSPECIFIED } });

    const { visitor } = await signInByCorp(served, idp, { misbehave: { nameIdFormat: null } });

    expect(await isSignedIn(visitor)).toBe(true);
  });
});

test('whoever lets somebody else bring the answer to their request does not become them', async () => {
  await givenCorp(harness, idp);
  const { visitor: mallory, form } = await begin();
  const before = await snapshot(harness);
  const victim = visit(served);
  const { location } = await postAcross(served, victim, form);

  // The victim's browser is kept from going on; what its answer was answered, only it has seen.
  const stolen = await mallory.get(`${CORP_CALLBACK}?state=${form.RelayState}`);
  const late = await victim.get(location);

  expect([stolen.status, late.status, await isSignedIn(mallory)]).toEqual([403, 403, false]);
  expect((await failures()).map(({ metadata }) => metadata.reason)).toEqual([
    'state_mismatch',
    'state_mismatch',
  ]);
  expect(await snapshot(harness)).toEqual(before);
});

test('an answer for one provider is no good at another with the same certificate', async () => {
  await givenCorp(harness, idp);
  await givenCorp(harness, idp, { name: 'umbrella', allow_idp_initiated: true });
  const { visitor, form } = await begin();
  const path = '/auth/saml/umbrella/callback';
  const before = await snapshot(harness);

  const other = await postAcross(served, visitor, form, { path });
  const unasked = await postAcross(
    served,
    visitor,
    await idp.answer({ acsUrl: harness.runtime.config.http.appUrl + CORP_CALLBACK }),
    { path },
  );
  const right = await postAcross(served, visitor, form);
  const there = await visitor.get(right.location.replace(CORP_CALLBACK, path));

  expect([other.status, unasked.status, right.status, there.status]).toEqual([403, 403, 303, 403]);
  expect((await failures()).map(({ provider }) => provider)).toEqual(['umbrella', 'umbrella', 'umbrella']);
  expect(await snapshot(harness)).toEqual(before);
});

test('a provider that signs with a key of another provider is not believed', async () => {
  const other = await createSamlIdp({ keyName: 'another provider' });
  await givenCorp(harness, idp);
  const visitor = visit(served);
  const request = await askCorp(visitor, idp);
  const before = await snapshot(harness);
  const misbehave = { carry: (await samlKey('another provider')).certificate };

  const answer = await postAcross(served, visitor, await reply(other, request, { misbehave }));

  await expectRefusal(visitor, answer, { reason: 'signature_invalid', before });
});

test('a sign-in that cannot begin says so', async () => {
  await givenCorp(harness, idp);
  const visitor = visit(served);
  const page = await visitor.get('/sessions/new');
  await harness.query('update sso_providers set enabled = false');

  const answer = await visitor.submit(page, '/auth/corp');

  expect([answer.status, (await failures()).map(({ metadata }) => metadata.reason)]).toEqual([
    403,
    ['provider_disabled'],
  ]);
});

test('what a provider reports is on record by the name the standard has for it, and in no words of its own', async () => {
  await givenCorp(harness, idp);
  const misbehave: Misbehaviour = {
    status: 'Requester',
    subStatus: 'InvalidNameIDPolicy',
    statusMessage: 'ada@example.com is on leave',
    noAssertion: true,
  };

  await signInByCorp(served, idp, { misbehave });

  const [failed] = await failures();
  expect(failed?.metadata).toEqual({
    method: 'saml',
    reason: 'provider_error',
    detail: 'InvalidNameIDPolicy',
  });
});

describe('what is no answer at all', () => {
  const KIB = 1024;
  const sized = (kib: number) => `SAMLResponse=${'A'.repeat(kib * KIB - 'SAMLResponse='.length)}`;

  test.each([
    ['another kind of document', CORP_CALLBACK, '{}', 415],
    ['too large a form', CORP_CALLBACK, sized(385), 413],
    ['too large a form elsewhere', '/sessions', sized(65), 413],
    ['too large a form for a name', '/auth/corp', sized(65), 413],
    ['too large a form for an unknown address', '/auth/saml/corp/else', sized(65), 413],
    ['a form for nobody', '/auth/saml/nobody/callback', sized(1), 404],
  ])('%s is refused with a page, and not on record', async (_, path, body, status) => {
    await givenCorp(harness, idp);
    const headers = body === '{}' ? { 'Content-Type': 'application/json' } : {};

    const answer = await postAcross(served, visit(served), body, { path, headers });

    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
    expect(await failures()).toEqual([]);
  });

  test('as much as a message may have is read', async () => {
    await givenCorp(harness, idp);

    const answer = await postAcross(served, visit(served), sized(384));

    expect((await failures()).map(({ metadata }) => metadata.reason)).toEqual(['response_unsolicited']);
    expect(answer.status).toBe(403);
  });
});
