import { beforeAll, describe, expect, test } from 'vitest';
import type { ResponseCheck } from '#src/sso/saml/login/response-check.ts';
import { validateResponse } from '#src/sso/saml/login/validate-response.ts';
import { checkOf } from '#test/sso/support/response-check.ts';
import { createSamlIdp, type SamlIdp } from '#test/sso/support/saml-idp.ts';
import { ACS_URL } from '#test/sso/support/saml-login.ts';
import type { Misbehaviour } from '#test/sso/support/saml-misbehaviour.ts';

let idp: SamlIdp;
beforeAll(async () => {
  idp = await createSamlIdp();
});

async function judge(misbehave: Misbehaviour, changes: Partial<ResponseCheck> = {}) {
  const { SAMLResponse } = await idp.answer({ requestId: '_1', acsUrl: ACS_URL, misbehave });
  return await validateResponse(
    checkOf(idp, SAMLResponse, { answers: 'anything', thorough: true, ...changes }),
  );
}

const ORDER = [
  'message',
  'response',
  'status',
  'response issuer',
  'destination',
  'request',
  'content',
  'encryption',
  'algorithms',
  'signature',
  'issuer',
  'age',
  'confirmation',
  'conditions',
  'audience',
  'session',
  'name id',
  'attributes',
];

describe('a response judged for whoever sets a provider up', () => {
  test('is told step by step, in order', async () => {
    const { steps, identity } = await judge({});

    expect(steps.map(({ name }) => name)).toEqual(ORDER);
    expect(steps.every(({ status, message }) => status === 'ok' && message.endsWith('.'))).toBe(true);
    expect(identity?.subject).toBe('ada@example.com');
  });

  test('is judged to its end when something fails, and is nobody then', async () => {
    const { steps, identity } = await judge({ audience: 'urn:other', notOnOrAfter: -400, issuedAt: -700 });

    expect(steps.filter(({ status }) => status === 'fail').map(({ name }) => name)).toEqual([
      'age',
      'conditions',
      'audience',
    ]);
    expect(steps.find(({ name }) => name === 'audience')?.message).toBe(
      `The audience is "urn:other"; expected "${ACS_URL.replace('/callback', '')}".`,
    );
    expect(identity).toBeUndefined();
  });

  test('has nothing read that is not signed', async () => {
    const { steps } = await judge({ sign: 'none', audience: 'urn:other' });

    expect(steps.filter(({ status }) => status === 'skipped').map(({ name }) => name)).toEqual(
      ORDER.slice(10),
    );
  });

  test('is not looked into when it cannot be read', async () => {
    const { steps } = await judge({}, { message: 'PGE+' });

    expect(steps.map(({ status }) => status)).toEqual(['fail', ...Array(17).fill('skipped')]);
  });

  test('answers what it likes, and is told', async () => {
    const { steps } = await judge({ inResponseTo: '_whatever' });

    expect(steps.find(({ name }) => name === 'request')).toMatchObject({
      status: 'ok',
      message: 'It answers the request "_whatever". Whether that was one of this service is not looked at.',
    });
  });

  test('repeats what the provider says only in short', async () => {
    const { steps } = await judge({ status: 'Responder', statusMessage: `no ${'x'.repeat(500)}` });

    const { message = '', detail } = steps.find(({ name }) => name === 'status') ?? {};
    expect(message).toContain('The identity provider reports "Responder": "no xxx');
    expect(message.length).toBeLessThan(300);
    expect(detail).toBe('Responder');
  });
});

test('a sign-in stops at the first step that fails', async () => {
  const { steps } = await judge({ status: 'Responder', audience: 'urn:other' }, { thorough: false });

  expect(steps.map(({ status }) => status).slice(0, 4)).toEqual(['ok', 'ok', 'fail', 'skipped']);
});

test('a large response that nobody known has signed takes no longer with many certificates', async () => {
  const large: Misbehaviour = {
    sign: 'response',
    otherKey: true,
    beforeSigning: (xml) => xml.replace('<saml:Subject>', `${'<a b="c"/>'.repeat(3_900)}<saml:Subject>`),
  };
  const certificates = Array.from({ length: 20 }, () => idp.certificate);
  const before = performance.now();

  const { steps } = await judge(large, {
    party: { ...checkOf(idp, '').party, certificates },
    thorough: false,
  });

  expect(steps.find(({ status }) => status === 'fail')).toMatchObject({ reason: 'signature_invalid' });
  expect(performance.now() - before).toBeLessThan(2_500);
});
