import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';

export interface Unblocking {
  /** The provider's id. */
  provider: string;
  /** Its name, for the record; default: the id, of a provider that is gone. */
  name?: string | undefined;
  subject: string;
}

/** Lets an identity make an account again after the one it had was deleted (decisions, section 3, Deleted user). */
export async function unblockIdentity(
  work: Work,
  { provider, name = provider, subject }: Unblocking,
): Promise<void> {
  const unblocked = await work.sql(
    'delete from blocked_identities where provider = $1 and subject = $2 returning 1 as one',
    [provider, subject],
  );
  if (unblocked.length === 0) throw new AppError('not_found', `No such identity of ${name} is blocked`);
  recordAuditEvent(work, 'identity_unblocked', { provider: name, metadata: { subject } });
  await work.em.flush();
}
