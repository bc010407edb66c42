import type { Fields } from '#src/http/fields.ts';
import { TokenRefusal } from '#src/http/oauth/token-refusal.ts';

export interface ClientCredentials {
  id: string;
  secret: string;
}

/**
 * Who asks for a token (RFC 6749, section 2.3.1): by HTTP Basic or by `client_id` and `client_secret` in the form,
 * never by both. `authorization` holds every header of that name.
 */
export function readClient(authorization: readonly string[], fields: Fields): ClientCredentials {
  const [header, ...more] = authorization;
  const [id, secret] = [fields.get('client_id'), fields.get('client_secret')];
  if (header === undefined) {
    if (!id || !secret) throw new TokenRefusal('invalid_client', MISSING);
    return { id, secret };
  }
  if (more.length > 0 || secret) throw new TokenRefusal('invalid_request', TWICE);

  const client = readBasic(header);
  if (!client) throw new TokenRefusal('invalid_client', UNREADABLE);
  // Many clients name themselves in the form beside Basic, which section 3.2.1 has nothing against.
  if (id && id !== client.id) throw new TokenRefusal('invalid_request', TWICE);
  return client;
}

const MISSING =
  'Send the id of an API key as client_id and the key as client_secret, by HTTP Basic or in the form';
const TWICE = 'Authenticate once: by HTTP Basic or in the form, not by both';
const UNREADABLE = 'The Authorization header must be Basic with client_id:client_secret in Base64';

const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/** Each half may be form-encoded on its own, as the RFC wants it, or sent as it is: ids and keys have nothing to encode. */
function readBasic(header: string): ClientCredentials | undefined {
  const encoded = BASIC.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  if (colon === -1) return undefined;
  return { id: formDecoded(pair.slice(0, colon)), secret: formDecoded(pair.slice(colon + 1)) };
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
