import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decideJit,
  type JitReason,
  type JitRules,
  type Newcomer,
  needsVerification,
} from '#src/sso/login/jit-policy.ts';

const ADA: Newcomer = {
  email: 'ada@example.com',
  emailVerified: true,
  needsVerification: true,
  invited: false,
};
const OPEN: JitRules = { mode: 'create_and_link', allowedDomains: [] };
const CLOSED: JitRules = { mode: 'link_only', allowedDomains: [] };
const OURS: JitRules = { mode: 'create_and_link', allowedDomains: ['example.com'] };

test.each<[string, Partial<Newcomer>, JitRules, JitReason | 'allowed']>([
  ['somebody with a verified email', {}, OPEN, 'allowed'],
  ['nobody, when accounts are only linked', {}, CLOSED, 'account_creation_disabled'],
  ['somebody invited, even then', { invited: true }, CLOSED, 'allowed'],
  ['somebody of the domain', {}, OURS, 'allowed'],
  ['nobody of another domain', { email: 'ada@other.example' }, OURS, 'domain_not_allowed'],
  ['somebody invited of another domain', { email: 'ada@other.example', invited: true }, OURS, 'allowed'],
  ['nobody without an email', { email: null }, OPEN, 'email_missing'],
  ['nobody without an email, though invited', { email: null, invited: true }, OPEN, 'email_missing'],
  ['nobody whose email is not verified', { emailVerified: false }, OPEN, 'email_unverified'],
  [
    'nobody whose email is not verified, though trusted',
    { emailVerified: false, needsVerification: false },
    OPEN,
    'email_unverified',
  ],
  [
    'nobody whose email is not verified, though invited',
    { emailVerified: false, invited: true },
    OPEN,
    'email_unverified',
  ],
  ['nobody about whose email nothing is said', { emailVerified: null }, OPEN, 'email_unverified'],
  [
    'somebody about whose email nothing needs to be said',
    { emailVerified: null, needsVerification: false },
    OPEN,
    'allowed',
  ],
  ['nobody with an email that is none', { email: 'example.com' }, OPEN, 'email_invalid'],
  ['nobody without a name in it', { email: '@example.com' }, OPEN, 'email_invalid'],
  ['nobody without a domain in it', { email: 'ada@' }, OPEN, 'email_invalid'],
  ['nobody with two domains in it', { email: 'ada@example.com@evil.example' }, OURS, 'email_invalid'],
  [
    'nobody with two domains in it, the other way',
    { email: 'ada@evil.example@example.com' },
    OURS,
    'email_invalid',
  ],
])('lets in %s', (_name, newcomer, rules, wanted) => {
  const decision = decideJit({ ...ADA, ...newcomer }, rules);

  expect(decision.allowed ? 'allowed' : decision.reason).toBe(wanted);
});

describe('the domain', () => {
  test.each<[string, string[], boolean]>([
    ['ada@EXAMPLE.com', ['example.com'], true],
    ['ada@example.com', ['Example.COM'], true],
    ['ada@bücher.example', ['xn--bcher-kva.example'], true],
    ['ada@xn--bcher-kva.example', ['BÜCHER.example'], true],
    ['ada@example.com', ['other.example', 'example.com'], true],
    ['ada@sub.example.com', ['example.com'], false],
    ['ada@notexample.com', ['example.com'], false],
    ['ada@example.com.evil.example', ['example.com'], false],
    ['ada@example.co', ['example.com'], false],
    ['ada@example.com.', ['example.com'], false],
    ['ada@example.com/evil.example', ['example.com'], false],
    ['ada@example.com:80', ['example.com'], false],
    ['ada@example.com?x', ['example.com'], false],
    ['ada@example.com#x', ['example.com'], false],
    ['ada@example.com\\x', ['example.com'], false],
    ['ada@%65xample.com', ['example.com'], false],
    ['ada@exam\tple.com', ['example.com'], false],
    ['ada@example.com ', ['example.com'], false],
    ['ada@example。com', ['example.com'], false],
    ['ada@evil.example', [''], false],
    ['ada@evil.example', ['*'], false],
  ])('%s of %j: %s', (email, allowedDomains, allowed) => {
    expect(decideJit({ ...ADA, email }, { ...OPEN, allowedDomains }).allowed).toBe(allowed);
  });

  test('is allowed only as a whole', () => {
    const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
    fc.assert(
      fc.property(label, fc.constantFrom('.', '-', ''), (more, between) => {
        for (const domain of [`${more}${between}example.com`, `example.com${between}${more}`]) {
          expect(decideJit({ ...ADA, email: `ada@${domain}` }, OURS).allowed).toBe(false);
        }
      }),
    );
  });
});

test.each([
  ['openid_connect', false, true],
  ['openid_connect', true, false],
  ['oauth2', false, false],
  ['oauth2', true, false],
  ['saml', false, false],
] as const)('silence of %s about an email, trusted %s, is a no: %s', (strategy, trustEmail, isNo) => {
  expect(needsVerification({ strategy, trustEmail })).toBe(isNo);
});

test('the account gets the email in small letters', () => {
  expect(decideJit({ ...ADA, email: 'Ada@Example.com' }, OURS)).toEqual({
    allowed: true,
    email: 'ada@example.com',
  });
});
