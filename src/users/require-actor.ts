import { guess } from '#src/kernel/did-you-mean.ts';
import { AppError } from '#src/kernel/errors.ts';
import { isUuid } from '#src/kernel/uuid.ts';
import type { Work } from '#src/kernel/work.ts';
import { similarEmails } from '#src/users/similar-emails.ts';
import { User } from '#src/users/user.entity.ts';

/** The id of the active super admin in whose name somebody at a terminal acts. Throws `forbidden` for anybody else. */
export async function requireActor(work: Work, reference: string): Promise<string> {
  const matching = isUuid(reference) ? { id: reference } : { email: reference.trim().toLowerCase() };
  const actor = await work.em.findOne(User, matching);
  if (actor?.isActiveSuperAdmin()) return actor.id;
  const problem = actor
    ? `${actor.email} is ${actor.isSuspended() ? 'suspended' : `a ${actor.role}, not a super_admin`}`
    : `no user has the email or id "${reference}"`;
  const similar = actor ? '' : guess(await similarEmails(work, reference));
  throw new AppError('forbidden', `Nobody can act as "${reference}": ${problem}`, {
    hint: `${similar && `${similar} `}--actor and FINANCECTL_ACTOR name an active super admin, by email or id.`,
  });
}
