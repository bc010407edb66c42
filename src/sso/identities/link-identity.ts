import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import type { Work } from '#src/kernel/work.ts';
import type { Identity } from '#src/sso/connector.ts';
import { createIdentity, lookUpIdentity, refreshIdentity } from '#src/sso/identities/keep-identity.ts';
import { fillProfile } from '#src/sso/login/fill-profile.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { syncRole } from '#src/sso/roles/sync-role.ts';
import { User } from '#src/users/user.entity.ts';

export interface Link {
  userId: string;
  provider: Provider;
  identity: Identity;
}

/**
 * Connects an identity with an account whose owner has proven to be it. Connecting it again changes nothing. Throws
 * `LoginRefused` when it is somebody else's. Answers with the identity's id.
 */
export async function linkIdentity(work: Work, { userId, provider, identity }: Link): Promise<string> {
  const user = await work.em.findOneOrFail(User, { id: userId });
  if (user.isSuspended()) throw new LoginRefused('user_suspended', undefined, userId);
  const known = await lookUpIdentity(work, provider, identity);
  if (known && known.user.id !== userId) throw new LoginRefused('identity_taken', undefined, userId);
  if (known && known.issuer !== identity.issuer) throw new LoginRefused('issuer_changed', undefined, userId);
  if (known) {
    await refreshIdentity(work, known.id, identity);
    return known.id;
  }

  // Whoever proves to own an account may use an identity that was blocked with another one.
  await work.sql('delete from blocked_identities where provider = $1 and subject = $2', [
    provider.id,
    identity.subject,
  ]);
  const identityId = await createIdentity(work, { provider, presented: identity, userId });
  recordAuditEvent(work, 'link', {
    userId,
    provider: provider.name,
    metadata: { identity_id: identityId, subject: identity.subject },
  });
  fillProfile(user, provider, identity);
  await syncRole(work, user, provider, identity);
  await work.em.flush();
  return identityId;
}
