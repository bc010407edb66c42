import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { AppError, notFound } from '#src/kernel/errors.ts';
import { isUuid } from '#src/kernel/uuid.ts';
import type { Work } from '#src/kernel/work.ts';
import { hasOtherWayIn, type WaysIn } from '#src/sso/identities/has-other-way-in.ts';

export interface Unlink extends WaysIn {
  userId: string;
  identityId: string;
  /** The session that goes on: the one of the user who disconnects. Undefined: none does. */
  sessionId?: string | undefined;
  /** Of the identity's provider, for the record. */
  nameOf(provider: string): string;
}

/** Disconnects an identity, unless it is the last way in (specification, Roles and access). Its other sessions go with it. */
export async function unlinkIdentity(work: Work, unlink: Unlink): Promise<void> {
  const { userId, identityId, sessionId } = unlink;
  // Two that are disconnected at the same moment see each other.
  await work.sql('select 1 from users where id = $1 for update', [userId]);
  const identities = await work.sql<{ id: string; provider: string; subject: string }>(
    'select id, provider, subject from identities where user_id = $1',
    [userId],
  );
  const identity = isUuid(identityId) ? identities.find(({ id }) => id === identityId) : undefined;
  if (!identity) throw notFound('Connected account');

  if (!hasOtherWayIn(identities, identityId, unlink)) {
    throw new AppError(
      'forbidden',
      'This is the only way to sign in to this account; connect another one first',
    );
  }
  recordAuditEvent(work, 'unlink', {
    userId,
    provider: unlink.nameOf(identity.provider),
    metadata: { identity_id: identityId, subject: identity.subject },
  });
  await work.sql('delete from sessions where identity_id = $1 and ($2::uuid is null or id <> $2)', [
    identityId,
    sessionId ?? null,
  ]);
  await work.sql('delete from identities where id = $1', [identityId]);
}
