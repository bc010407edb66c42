import type { Config } from '#src/kernel/config.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError, invalid } from '#src/kernel/errors.ts';
import { trustedAuthorities } from '#src/kernel/trusted-authorities.ts';

export interface Mail {
  /** One address, without a name. */
  to: string;
  subject: string;
  text: string;
}

/** Milliseconds any step may take: the name, the connection, the greeting, each answer. */
const PATIENCE = 10_000;

export function canSendMail({ mail }: Pick<Config, 'mail'>): boolean {
  return mail.smtpUrl !== undefined && mail.from !== undefined;
}

/**
 * Hands a mail to the server of `SMTP_URL`. Throws `configuration_invalid` when there is none, `validation_failed` for
 * an address or subject that would add headers, and `service_unavailable` when the server does not take it.
 */
export async function sendMail(
  { mail, caFile }: Pick<Config, 'mail' | 'caFile'>,
  { to, subject, text }: Mail,
): Promise<void> {
  const { smtpUrl, from } = mail;
  if (smtpUrl === undefined || from === undefined) {
    throw new AppError('configuration_invalid', 'Mail cannot be sent: SMTP_URL is not set');
  }
  refuseUnsafe(to, subject);
  const ca = trustedAuthorities(caFile);

  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url: smtpUrl,
    dnsTimeout: PATIENCE,
    connectionTimeout: PATIENCE,
    greetingTimeout: PATIENCE,
    socketTimeout: PATIENCE,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(ca && { tls: { ca } }),
  });
  try {
    await transport.sendMail({
      from,
      // As an object it is taken for one address and not read as a list.
      to: { name: '', address: to },
      subject,
      text,
      // RFC 3834: no out-of-office answers.
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  } catch (error) {
    throw unavailable(error);
  } finally {
    transport.close();
  }
}

function refuseUnsafe(to: string, subject: string): void {
  if (/\p{Cc}/u.test(to + subject)) {
    throw invalid(['the address and the subject of a mail must not hold control characters']);
  }
  if (!/^[^\s@<>,;:"()]+@[^\s@<>,;:"()]+$/.test(to)) throw invalid([`"${to}" is not one mail address`]);
}

/** The error itself stays behind: it may repeat what the server was told, the password among it. */
function unavailable(error: unknown): AppError {
  const answer = Object(error).responseCode;
  const reason = [errorCode(error), typeof answer === 'number' ? `the server answered ${answer}` : undefined];
  return new AppError(
    'service_unavailable',
    `The mail could not be sent (${reason.filter(Boolean).join(', ') || 'for no known reason'})`,
    { hint: 'Check SMTP_URL and MAIL_FROM and that the mail server is running, then try again.' },
  );
}
