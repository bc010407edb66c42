import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import type { Work } from '#src/kernel/work.ts';

/** Takes back what somebody has handed out who may not invite any more. */
export async function withdrawInvitationsOf(work: Work, userId: string): Promise<void> {
  const gone = await work.sql<{ id: string; email: string }>(
    'delete from invitations where invited_by = $1 returning id, email',
    [userId],
  );
  for (const { id, email } of gone) {
    recordAuditEvent(work, 'invitation_withdrawn', {
      metadata: { invitation: id, email, invited_by: userId },
    });
  }
}
