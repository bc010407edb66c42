import { AppError } from '#src/kernel/errors.ts';
import { perform } from '#src/kernel/perform.ts';
import type { Actor, Runtime } from '#src/kernel/work.ts';
import { sendMail } from '#src/mail/send-mail.ts';
import { createPasswordReset, type PasswordReset, RESET_MINUTES } from '#src/users/create-password-reset.ts';
import { passwordResetLink } from '#src/users/links.ts';

/** Sends the link for a new password, if this is somebody who has one to reset; otherwise does nothing. */
export async function mailPasswordReset(runtime: Runtime, actor: Actor, email: string): Promise<void> {
  const reset = await createIfAllowed(runtime, actor, email);
  if (!reset) return;
  const { appUrl } = runtime.config.http;
  await sendMail(runtime.config, {
    to: reset.email,
    subject: 'A new password',
    text: `Somebody, probably you, asked for a new password at ${appUrl}.

To choose one, open this link within ${RESET_MINUTES} minutes:
${passwordResetLink(appUrl, reset.token)}

The link works once. If it was not you, do nothing: your password stays as it is.
`,
  });
}

/** Undefined for an unknown address, a suspended user, and one without a password. */
async function createIfAllowed(
  runtime: Runtime,
  actor: Actor,
  email: string,
): Promise<PasswordReset | undefined> {
  try {
    return await perform(runtime, { actor }, (work) => createPasswordReset(work, { user: email }));
  } catch (error) {
    if (error instanceof AppError && (error.code === 'not_found' || error.code === 'conflict'))
      return undefined;
    throw error;
  }
}
