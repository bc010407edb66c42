import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { AppError } from '#src/kernel/errors.ts';
import { isUuid } from '#src/kernel/uuid.ts';
import type { Work } from '#src/kernel/work.ts';

/** Takes an invitation back, by email or id: its link opens nothing any more. */
export async function withdrawInvitation(
  work: Work,
  { invitation: reference }: { invitation: string },
): Promise<{ id: string; email: string }> {
  const [gone] = await work.sql<{ id: string; email: string }>(
    `delete from invitations where ${isUuid(reference) ? 'id' : 'email'} = $1 returning id, email`,
    [reference.trim().toLowerCase()],
  );
  if (!gone) {
    throw new AppError('not_found', `No pending invitation has the email or id "${reference}"`, {
      hint: 'financectl users invitations shows them all.',
    });
  }
  recordAuditEvent(work, 'invitation_withdrawn', { metadata: { invitation: gone.id, email: gone.email } });
  await work.em.flush();
  return gone;
}
