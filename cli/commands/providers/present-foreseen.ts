import type { Cell } from '#cli/render.ts';
import type { ForeseenAccount, ForeseenLogin } from '#src/sso/login/foresee-login.ts';
import { sentenceOfRefusal } from '#src/sso/login-refused.ts';
import type { Provider } from '#src/sso/providers/provider.ts';

/** What a sign-in would come to, for people. */
export function foreseenLines(
  provider: Provider,
  { groups, decision, role, account }: ForeseenLogin,
): [string, Cell][] {
  return [
    ['groups in claims', groups === null ? 'none were sent' : groups.join(', ')],
    ...decision.rules.map(({ rule, role, matched, because }): [string, Cell] => [
      rule,
      `${matched ? 'matched' : 'no match'}: ${because}${differsInCase(provider, rule, groups) ? ' (case differs)' : ''} -> ${role}`,
    ]),
    ['role', `${role ?? 'is left alone'} (${whyRole(decision, account)})`],
    ['account', describeAccount(account)],
    ...('reason' in account ? [['to change', TO_CHANGE[account.reason]] satisfies [string, Cell]] : []),
  ];
}

function whyRole({ kind }: ForeseenLogin['decision'], account: ForeseenAccount): string {
  const isInvited = 'invited' in account && account.invited;
  return kind !== 'matched' && isInvited ? 'the invitation decides, because no rule does' : REASONS[kind];
}

const REASONS = {
  matched: 'the highest of all that match',
  no_match: 'the default: no rule matches',
  no_rules: 'there are no rules',
} as const;

function differsInCase({ roleMapping }: Provider, rule: string, groups: string[] | null): boolean {
  const mapping = roleMapping.mappings.find((_, index) => rule === `mappings[${index}]`);
  const held = groups ?? [];
  if (!mapping || held.includes(mapping.group)) return false;
  return held.some((group) => group.toLowerCase() === mapping.group.toLowerCase());
}

function describeAccount(account: ForeseenAccount): string {
  if ('reason' in account) return `refuse: ${sentenceOfRefusal(account.reason)}`;
  if ('invited' in account) return `create ${account.email}${account.invited ? ', who is invited' : ''}`;
  if (account.outcome === 'sign_in') return `sign in as ${account.email}, who is linked already`;
  return account.hasPassword
    ? `link to ${account.email}, who confirms it with the password`
    : `none yet: ${account.email} has no password to confirm it with, and connects it under Security, signed in as ever`;
}

type Refused = Extract<ForeseenAccount, { outcome: 'refuse' }>['reason'];

/** The setting or command that would let the person in. */
const TO_CHANGE: Record<Refused, string> = {
  email_missing:
    'what the provider sends: the scope email of OpenID Connect, email_attribute or emails_url of OAuth 2.0, the attribute email of SAML',
  email_invalid: 'the address that the provider sends',
  email_unverified:
    'verify the address at the provider; or, if an OpenID Connect provider never says that any is, set trust_email of it',
  account_creation_disabled: 'AUTH_JIT_MODE=create_and_link, or an invitation: financectl users invite',
  domain_not_allowed: 'ALLOWED_OIDC_DOMAINS, or an invitation: financectl users invite',
  identity_blocked: 'financectl users unblock',
  user_suspended: 'financectl users reactivate',
  issuer_changed:
    'the issuer of the provider; or, if it names the same people, unlink them, who connect anew: financectl users unlink',
};

/** The same for programs. */
export function presentForeseen({ groups, decision, role, account }: ForeseenLogin): Record<string, unknown> {
  return {
    groups,
    rules: decision.rules,
    outcome: decision.kind,
    role: role ?? null,
    account: toJson(account),
  };
}

function toJson(account: ForeseenAccount): Record<string, unknown> {
  if ('hasPassword' in account) {
    const { hasPassword: has_password, ...known } = account;
    return { ...known, has_password };
  }
  if ('invited' in account) {
    const { invitedAs: invited_as, ...created } = account;
    return { ...created, invited_as };
  }
  return account;
}
