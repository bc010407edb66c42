import { LoginRefused } from '#src/sso/login-refused.ts';
import type { SamlBinding } from '#src/sso/saml/saml-party.ts';

/** A message as a browser brought it; nothing of it is proven. */
export interface LogoutEnvelope {
  kind: 'SAMLRequest' | 'SAMLResponse';
  binding: SamlBinding;
  /** Base64; compressed where it came by redirect. */
  value: string;
  relayState?: string | undefined;
  /** Where it came by redirect; a form's message carries its own inside. */
  signature?: DetachedSignature | undefined;
}

/** The signature over a query (SAML Bindings, section 3.4.4.1). */
export interface DetachedSignature {
  algorithm: string;
  value: Buffer;
  /** What was signed, as it came. */
  octets: string;
}

const NAMES = ['SAMLRequest', 'SAMLResponse', 'RelayState', 'SigAlg', 'Signature', 'SAMLEncoding'];
const DEFLATE = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE';

/** From a query as it came; it is taken apart here alone, so that what is read is what was signed. */
export function openQuery(query: string): LogoutEnvelope {
  const raw = takeApart(query);
  const kind = kindOf(raw);
  const encoding = raw.get('SAMLEncoding');
  if (encoding !== undefined && decode(encoding) !== DEFLATE) throw refused('encoding');
  const relayState = raw.get('RelayState');
  return {
    kind,
    binding: 'redirect',
    value: decode(raw.get(kind) ?? ''),
    relayState:
      relayState === undefined ? undefined : readRelayState(decode(relayState.replaceAll('+', '%20'))),
    signature: readSignature(raw, kind),
  };
}

/** From the fields of a form. */
export function openForm(fields: ReadonlyMap<string, string>): LogoutEnvelope {
  const kind = kindOf(fields);
  const relayState = fields.get('RelayState');
  return {
    kind,
    binding: 'post',
    value: fields.get(kind) ?? '',
    relayState: relayState === undefined ? undefined : readRelayState(relayState),
  };
}

/** Still encoded. Names are taken literally, or a signature could cover another parameter than the one that is read. */
function takeApart(query: string): ReadonlyMap<string, string> {
  const raw = new Map<string, string>();
  for (const part of query.split('&')) {
    const [name = '', ...rest] = part.split('=');
    if (/[%+]/.test(name)) throw refused('parameter_encoded');
    if (!NAMES.includes(name)) continue;
    if (raw.has(name)) throw refused('parameter_repeated');
    raw.set(name, rest.join('='));
  }
  return raw;
}

function kindOf(fields: ReadonlyMap<string, string>): LogoutEnvelope['kind'] {
  const kinds = (['SAMLRequest', 'SAMLResponse'] as const).filter((kind) => fields.has(kind));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1)
    throw refused(kind === undefined ? 'no_message' : 'two_messages');
  return kind;
}

function readSignature(
  raw: ReadonlyMap<string, string>,
  kind: LogoutEnvelope['kind'],
): DetachedSignature | undefined {
  const [algorithm, value] = [raw.get('SigAlg'), raw.get('Signature')];
  if (value === undefined) return undefined;
  if (algorithm === undefined) throw new LoginRefused('algorithm_refused', 'none');
  const signed = [kind, 'RelayState', 'SigAlg'].filter((name) => raw.has(name));
  return {
    algorithm: decode(algorithm),
    value: Buffer.from(decode(value), 'base64'),
    octets: signed.map((name) => `${name}=${raw.get(name)}`).join('&'),
  };
}

/** Far more than the 80 bytes that SAML Bindings, section 3.4.3, allows. */
const LONGEST_RELAY_STATE = 2_000;

function readRelayState(text: string): string {
  if (text.length > LONGEST_RELAY_STATE) throw refused('relay_state_too_long');
  return text;
}

function decode(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    throw refused('encoding');
  }
}

function refused(detail: string): LoginRefused {
  return new LoginRefused('logout_message_invalid', detail);
}
