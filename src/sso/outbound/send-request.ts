import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { errorCode } from '#src/kernel/error-code.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import { type AddressClass, classifyAddress } from '#src/sso/outbound/classify-address.ts';

export interface Answer {
  url: URL;
  status: number;
  contentType: string | undefined;
  /** The WWW-Authenticate header. */
  challenge: string | undefined;
  location: string | undefined;
  text: string;
  /** What the address led to that was connected to. */
  from: AddressClass;
}

interface Sending {
  method?: string | undefined;
  headers?: Record<string, string> | undefined;
  body?: string | undefined;
  signal?: AbortSignal | undefined;
}

interface Transport {
  agent: Agent | undefined;
  /** Milliseconds until the last byte of the answer. */
  timeout: number;
}

const MAXIMUM_BYTES = 1024 * 1024;

/** One call. Throws `LoginRefused` when there is no whole answer of at most 1 MiB in time. */
export async function sendRequest(
  url: URL,
  sending: Sending,
  { agent, timeout }: Transport,
): Promise<Answer> {
  const deadline = new AbortController();
  const stop = () => deadline.abort();
  const timer = setTimeout(stop, timeout);
  sending.signal?.addEventListener('abort', stop, { once: true });
  if (sending.signal?.aborted) stop();

  try {
    return await attempt(url, sending, agent, deadline.signal).catch((error: unknown) => {
      // The provider closed an idle connection just as we took it: RFC 9112, section 9.3.1.
      if (!(error instanceof StaleConnection)) throw error;
      return attempt(url, sending, agent, deadline.signal);
    });
  } catch (error) {
    throw deadline.signal.aborted ? new LoginRefused('provider_timeout') : toRefusal(error);
  } finally {
    clearTimeout(timer);
    sending.signal?.removeEventListener('abort', stop);
  }
}

class StaleConnection extends Error {}

function attempt(url: URL, sending: Sending, agent: Agent | undefined, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const outgoing = send(url, {
      method: sending.method ?? 'GET',
      // GitHub answers nobody who does not say who asks.
      headers: { 'user-agent': 'finance-server', ...sending.headers, ...lengthOf(sending.body) },
      agent,
      signal,
    });
    let answered = false;
    outgoing.on('error', (error) => {
      const stale = !answered && outgoing.reusedSocket && /^(ECONNRESET|EPIPE)$/.test(errorCode(error) ?? '');
      reject(stale ? new StaleConnection() : error);
    });
    outgoing.on('response', (incoming) => {
      answered = true;
      // The socket goes to the next request as soon as the body has ended.
      const from = classifyAddress(incoming.socket.remoteAddress ?? '');
      readBody(incoming).then((text) => resolve({ ...describe(url, incoming), from, text }), reject);
    });
    outgoing.end(sending.body);
  });
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    const part: Buffer = chunk;
    bytes += part.length;
    // Leaving the loop destroys the connection.
    if (bytes > MAXIMUM_BYTES) throw new LoginRefused('provider_answer_too_large');
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function describe(url: URL, { statusCode, headers }: IncomingMessage): Omit<Answer, 'from' | 'text'> {
  return {
    url,
    status: statusCode ?? 0,
    contentType: headers['content-type'],
    challenge: headers['www-authenticate'],
    location: headers.location,
  };
}

const lengthOf = (body: string | undefined) =>
  body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };

function toRefusal(error: unknown): LoginRefused {
  if (error instanceof LoginRefused) return error;
  const code = errorCode(error) ?? 'unknown';
  if (/CERT|SELF_SIGNED|UNABLE_TO_|^ERR_TLS/.test(code)) {
    return new LoginRefused('provider_certificate_invalid', code);
  }
  return new LoginRefused(code.startsWith('HPE_') ? 'provider_answer_invalid' : 'provider_unreachable', code);
}
