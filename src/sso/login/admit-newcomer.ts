import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import { createFamily } from '#src/ledger/create-family.ts';
import type { Identity } from '#src/sso/connector.ts';
import { createIdentity } from '#src/sso/identities/keep-identity.ts';
import type { Admission, AdmissionRules } from '#src/sso/login/admit.ts';
import { plainText } from '#src/sso/login/fill-profile.ts';
import { decideJit, needsVerification } from '#src/sso/login/jit-policy.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { founderRole } from '#src/sso/roles/sync-role.ts';
import { createUser } from '#src/users/create-user.ts';
import { requireEmail } from '#src/users/email.ts';
import { ROLES, type Role } from '#src/users/role.ts';

interface Newcomer {
  provider: Provider;
  identity: Identity;
  rules: AdmissionRules;
}

interface Owner {
  id: string;
  suspended: boolean;
}

interface Invitation {
  id: string;
  familyId: string;
  role: Role;
}

/** An identity nobody has yet: an account of its own, or a question to the owner of the account with its email. */
export async function admitNewcomer(work: Work, { provider, identity, rules }: Newcomer): Promise<Admission> {
  await refuseBlocked(work, provider, identity);
  const email = readEmail(identity);
  const owner = await lookUpOwner(work, email);
  const invitation = await lookUpInvitation(work, email);
  const newcomer = {
    email,
    emailVerified: identity.emailVerified,
    needsVerification: needsVerification(provider),
  };
  // Not even a question about an account is answered to somebody whose email is not known to be theirs.
  const invited = owner !== undefined || invitation !== undefined;
  const decision = decideJit({ ...newcomer, invited }, rules);
  if (!decision.allowed) throw new LoginRefused(decision.reason, undefined, owner?.id);
  if (owner?.suspended) throw new LoginRefused('user_suspended', undefined, owner.id);
  if (owner) return { outcome: 'link_required', userId: owner.id };

  const user = await createUser(work, {
    email: decision.email,
    familyId: invitation?.familyId ?? (await foundFamily(work, identity, decision.email, rules)),
    role: invitation?.role ?? founderRole(provider.defaultRole),
    provider: provider.name,
    ...(invitation && { invitationId: invitation.id }),
  });
  if (!invitation) {
    await work.sql('update families set founder_id = $2 where id = $1', [user.familyId, user.id]);
  }
  const identityId = await createIdentity(work, { provider, presented: identity, userId: user.id });
  return { outcome: 'admitted', user, identityId, isNew: true, isInvited: invitation !== undefined };
}

/** Somebody whose account was deleted does not come back by themselves. */
async function refuseBlocked(work: Work, provider: Provider, { subject }: Identity): Promise<void> {
  const blocked = await work.sql('select 1 from blocked_identities where provider = $1 and subject = $2', [
    provider.id,
    subject,
  ]);
  if (blocked.length > 0) throw new LoginRefused('identity_blocked');
}

function readEmail({ email }: Identity): string {
  if (email === null) throw new LoginRefused('email_missing');
  try {
    return requireEmail(email);
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation_failed')
      throw new LoginRefused('email_invalid');
    throw error;
  }
}

/** Waits for others who bring the same address at this moment, so that one account is made and not two. */
async function lookUpOwner(work: Work, email: string): Promise<Owner | undefined> {
  await work.sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`email:${email}`]);
  const [owner] = await work.sql<Owner>(
    'select id, suspended_at is not null as suspended from users where email = $1',
    [email],
  );
  return owner;
}

async function lookUpInvitation(work: Work, email: string): Promise<Invitation | undefined> {
  const [row] = await work.sql<{ id: string; family_id: string; role: string }>(
    'select id, family_id, role from invitations where email = $1 and expires_at > now() for update',
    [email],
  );
  const role = ROLES.find((candidate) => candidate === row?.role);
  return row && role && { id: row.id, familyId: row.family_id, role };
}

async function foundFamily(
  work: Work,
  { lastName }: Identity,
  email: string,
  { currency }: AdmissionRules,
): Promise<string> {
  const name = plainText(lastName, 100) ?? plainText(email.slice(0, email.lastIndexOf('@')), 200) ?? 'Family';
  return (await createFamily(work, { name, currency })).id;
}
