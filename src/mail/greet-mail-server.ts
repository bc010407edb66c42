import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { Config } from '#src/kernel/config.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';
import { trustedAuthorities } from '#src/kernel/trusted-authorities.ts';

const PATIENCE = 5_000;
const LONGEST_GREETING = 2_000;
/** RFC 8314, section 3.3: submission with TLS from the first byte, and without. */
const PORTS: Readonly<Record<string, number>> = { 'smtps:': 465, 'smtp:': 587 };

export interface Greeting {
  /** Name and port. */
  host: string;
  milliseconds: number;
}

/**
 * Connects to the server of `SMTP_URL` and hears its greeting (RFC 5321, section 3.1); nobody signs in and nothing is
 * sent. Throws `service_unavailable` when there is none in five seconds.
 */
export async function greetMailServer({ mail, caFile }: Pick<Config, 'mail' | 'caFile'>): Promise<Greeting> {
  const { protocol, hostname, port } = new URL(mail.smtpUrl ?? 'smtp://localhost');
  const place = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || PORTS[protocol]) };
  const started = performance.now();
  const ca = trustedAuthorities(caFile);
  const socket =
    protocol === 'smtps:'
      ? connectSecurely({ ...place, servername: place.host, ...(ca && { ca }) })
      : connect(place);
  const host = `${place.host}:${place.port}`;
  try {
    await hearGreeting(socket);
    await new Promise<void>((resolve) => socket.end('QUIT\r\n', resolve));
    return { host, milliseconds: Math.round(performance.now() - started) };
  } catch (error) {
    const reason = errorCode(error) ?? (error instanceof Error ? error.message : 'for no known reason');
    throw new AppError('service_unavailable', `The mail server ${host} does not greet (${reason})`, {
      hint: 'Check SMTP_URL and that the mail server is running.',
      cause: error,
    });
  } finally {
    socket.destroy();
  }
}

function hearGreeting(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let heard = '';
    // Not the socket's own time-out, which a drop of data now and then would put off for ever.
    const timer = setTimeout(() => reject(new Error('no answer in time')), PATIENCE);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('it hung up')));
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString('latin1');
      if (!heard.includes('\n') && heard.length < LONGEST_GREETING) return;
      if (heard.startsWith('220')) resolve();
      else reject(new Error(`it answered ${/^\d{3}/.exec(heard)?.[0] ?? 'no SMTP'}`));
    });
    socket.once('close', () => clearTimeout(timer));
  });
}
