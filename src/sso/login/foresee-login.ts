import type { Work } from '#src/kernel/work.ts';
import type { Identity } from '#src/sso/connector.ts';
import { decideJit, type JitReason, type JitRules, needsVerification } from '#src/sso/login/jit-policy.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { mapRoles, type RoleDecision } from '#src/sso/roles/map-roles.ts';
import { normalizeEmail } from '#src/users/email.ts';
import { ROLES, type Role } from '#src/users/role.ts';

/** What a sign-in would do, without anybody signing in. */
export interface ForeseenLogin {
  groups: string[] | null;
  decision: RoleDecision;
  /** The role afterwards; undefined: it is left alone. The founder of a family becomes an admin at least. */
  role: Role | undefined;
  account: ForeseenAccount;
}

export type ForeseenAccount =
  | { outcome: 'sign_in'; email: string }
  /** `hasPassword`: without one, its owner cannot confirm the connection, and makes it in the settings. */
  | { outcome: 'link'; email: string; hasPassword: boolean }
  /** `invitedAs`: the role of the invitation. */
  | { outcome: 'create'; email: string; invited: boolean; invitedAs?: Role | undefined }
  | { outcome: 'refuse'; reason: JitReason | 'identity_blocked' | 'user_suspended' | 'issuer_changed' };

/** Evaluates what an identity provider says of somebody; reads and writes nothing. */
export async function foreseeLogin(
  work: Work,
  { provider, identity, rules }: { provider: Provider; identity: Identity; rules: JitRules },
): Promise<ForeseenLogin> {
  const account = await foreseeAccount(work, provider, identity, rules);
  const decision = mapRoles(provider.roleMapping, identity);
  return {
    groups: identity.groups,
    decision,
    role: decision.kind === 'matched' ? decision.role : unmatchedRole(account, decision, provider),
    account,
  };
}

/** When no rule decides. */
function unmatchedRole(
  account: ForeseenAccount,
  { kind }: RoleDecision,
  { defaultRole }: Provider,
): Role | undefined {
  if (account.outcome === 'create') return account.invitedAs ?? defaultRole;
  const isKnown = account.outcome === 'sign_in' || account.outcome === 'link';
  return kind === 'no_rules' && isKnown ? undefined : defaultRole;
}

interface Facts {
  linked: string | null;
  namesake: string | null;
  /** Of the namesake. */
  hasPassword: boolean | null;
  suspended: boolean | null;
  /** Of the identity. */
  issuer: string | null;
  blocked: boolean;
  /** The role of the invitation. */
  invited: string | null;
}

async function foreseeAccount(
  work: Work,
  provider: Provider,
  { subject, issuer, email, emailVerified }: Identity,
  rules: JitRules,
): Promise<ForeseenAccount> {
  const [facts] = await work.sql<Facts>(FACTS, [
    provider.id,
    subject,
    email === null ? null : normalizeEmail(email),
    work.now(),
  ]);
  const { linked = null, namesake = null, suspended, blocked } = facts ?? {};
  const invitedAs = ROLES.find((role) => role === facts?.invited);
  const invited = invitedAs !== undefined;
  // What SAML metadata alone says of the issuer is not known here.
  const isUnknown = issuer === null && provider.strategy === 'saml';
  if (linked !== null && !isUnknown && facts?.issuer !== issuer) {
    return { outcome: 'refuse', reason: 'issuer_changed' };
  }
  if (suspended) return { outcome: 'refuse', reason: 'user_suspended' };
  if (linked !== null) return { outcome: 'sign_in', email: linked };
  if (blocked) return { outcome: 'refuse', reason: 'identity_blocked' };

  const newcomer = {
    email,
    emailVerified,
    needsVerification: needsVerification(provider),
    invited: invited || namesake !== null,
  };
  const decided = decideJit(newcomer, rules);
  if (!decided.allowed) return { outcome: 'refuse', reason: decided.reason };
  return namesake === null
    ? { outcome: 'create', email: decided.email, invited, invitedAs }
    : { outcome: 'link', email: namesake, hasPassword: facts?.hasPassword === true };
}

const FACTS = `select l.email as linked, l.issuer, n.email as namesake,
    n.password_digest is not null as "hasPassword",
    coalesce(l.suspended_at, n.suspended_at) is not null as suspended,
    exists (select 1 from blocked_identities b where b.provider = $1 and b.subject = $2) as blocked,
    (select v.role from invitations v where v.email = $3 and v.expires_at > $4) as invited
  from (select 1) as one
    left join lateral (
      select u.email, u.suspended_at, i.issuer from identities i join users u on u.id = i.user_id
      where i.provider = $1 and i.subject = $2) l on true
    left join users n on n.email = $3 and l.email is null`;
