import { type Finding, ok, type Subject, skipped } from '#src/doctor/check.ts';
import { greetMailServer } from '#src/mail/greet-mail-server.ts';

export async function mail(subject: Subject): Promise<Finding> {
  const config = subject.config();
  if (config.mail.smtpUrl === undefined)
    return skipped('SMTP_URL is not set: financectl prints links instead');
  if (subject.isOffline) return skipped('not asked (--offline)');
  const { host, milliseconds } = await greetMailServer(config);
  return ok(`${host} greets in ${milliseconds} ms`);
}
