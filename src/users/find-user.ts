import { guess } from '#src/kernel/did-you-mean.ts';
import { AppError } from '#src/kernel/errors.ts';
import { isUuid } from '#src/kernel/uuid.ts';
import type { Work } from '#src/kernel/work.ts';
import { normalizeEmail } from '#src/users/email.ts';
import { similarEmails } from '#src/users/similar-emails.ts';
import { User } from '#src/users/user.entity.ts';

/** The user of this email (in any case) or id. */
export async function findUser(work: Work, reference: string): Promise<User> {
  const matching = isUuid(reference) ? { id: reference } : { email: normalizeEmail(reference) };
  const user = await work.em.findOne(User, matching);
  if (user) return user;
  const similar = guess(await similarEmails(work, reference));
  throw new AppError('not_found', `No user has the email or id "${reference}"`, {
    hint: [similar, 'financectl users list shows them all.'].filter(Boolean).join(' '),
  });
}

/** The id of a user, who may be gone: an id is taken as it is, an email must belong to somebody. */
export async function findUserId(work: Work, reference: string): Promise<string> {
  return isUuid(reference) ? reference : (await findUser(work, reference)).id;
}
