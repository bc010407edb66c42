import type { JitMode } from '#src/kernel/config.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { asciiDomain, normalizeEmail } from '#src/users/email.ts';

/** Somebody unknown who wants in for the first time, with an email nobody here has. */
export interface Newcomer {
  email: string | null;
  /** Null: the provider never said. */
  emailVerified: boolean | null;
  /** Whether silence about verification is a no. */
  needsVerification: boolean;
  /** Whether an invitation waits for this email. */
  invited: boolean;
}

export interface JitRules {
  mode: JitMode;
  /** Empty: every domain. */
  allowedDomains: readonly string[];
}

export type JitReason =
  | 'email_missing'
  | 'email_invalid'
  | 'email_unverified'
  | 'account_creation_disabled'
  | 'domain_not_allowed';

export type JitDecision = { allowed: true; email: string } | { allowed: false; reason: JitReason };

/**
 * Whether a provider's silence about an email counts as a no (decisions, section 3): with OpenID Connect, which has a
 * claim for it, unless the provider is trusted; with OAuth 2.0 and SAML only a spoken no counts.
 */
export function needsVerification({
  strategy,
  trustEmail,
}: Pick<Provider, 'strategy' | 'trustEmail'>): boolean {
  return strategy === 'openid_connect' && !trustEmail;
}

/**
 * Whether a first sign-in makes an account (decisions, section 3). An invitation wins over mode and domains, never
 * over the proof that the email is theirs.
 */
export function decideJit(newcomer: Newcomer, { mode, allowedDomains }: JitRules): JitDecision {
  if (newcomer.email === null) return { allowed: false, reason: 'email_missing' };

  const domain = domainOf(newcomer.email);
  if (domain === undefined) return { allowed: false, reason: 'email_invalid' };

  const { emailVerified, needsVerification } = newcomer;
  if (emailVerified === false || (emailVerified === null && needsVerification)) {
    return { allowed: false, reason: 'email_unverified' };
  }
  if (!newcomer.invited) {
    if (mode === 'link_only') return { allowed: false, reason: 'account_creation_disabled' };
    if (allowedDomains.length > 0 && !allowedDomains.map(asciiDomain).includes(domain)) {
      return { allowed: false, reason: 'domain_not_allowed' };
    }
  }
  return { allowed: true, email: normalizeEmail(newcomer.email) };
}

/** The whole domain in ASCII and lower case; undefined for what is not one local part and one domain. */
function domainOf(email: string): string | undefined {
  const at = email.lastIndexOf('@');
  if (at <= 0 || email.indexOf('@') !== at) return undefined;
  return asciiDomain(email.slice(at + 1)) || undefined;
}
