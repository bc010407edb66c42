import { type OutgoingHttpHeaders, request } from 'node:http';
import type { Ledger } from '#test/http/given-ledger.ts';
import type { Served } from '#test/http/serve.ts';

type Key = Pick<Ledger, 'keyId' | 'headers'>;
type Parameters = Record<string, string>;

export const basic = (id: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

export const basicOf = ({ keyId, headers }: Key) => basic(keyId, headers['X-Api-Key']);

export const inForm = ({ keyId, headers }: Key) => ({
  client_id: keyId,
  client_secret: headers['X-Api-Key'],
});

/** Asks for a token, with `grant_type=client_credentials` unless the parameters say otherwise. */
export function askToken(served: Served, parameters: Parameters, headers: Parameters = {}) {
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...parameters });
  return served.ask('/oauth/token', { method: 'POST', headers, body: form });
}

/** A token of the key, as the header that it is sent in. */
export async function givenBearer(served: Served, key: Key): Promise<{ Authorization: string }> {
  const { status, body, text } = await askToken(served, inForm(key));
  if (status !== 200) throw new Error(text);
  return { Authorization: `Bearer ${body.access_token}` };
}

interface Raw {
  path: string;
  method?: string;
  /** A list is sent as so many headers, which fetch cannot do. */
  headers: OutgoingHttpHeaders;
  body?: Uint8Array;
}

/** One request with headers exactly as given. */
export function askRaw({ port }: Served, { path, method = 'GET', headers, body }: Raw) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const req = request({ port, host: '127.0.0.1', path, method, headers, agent: false }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () =>
        resolve({ status: res.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
      res.on('error', reject);
    });
    req.on('error', reject);
    req.end(body);
  });
}
