import { inflateRawSync } from 'node:zlib';
import { errorCode } from '#src/kernel/error-code.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import { LARGEST_MESSAGE } from '#src/sso/saml/messages/scan-xml.ts';

/** The text of a message that came in a form (SAML Bindings, section 3.5.4). Throws `LoginRefused`. */
export function decodePosted(base64: string): string {
  const bytes = decodeBase64(base64);
  if (bytes.length > LARGEST_MESSAGE) throw new LoginRefused('message_too_large', 'bytes');
  return decodeUtf8(bytes);
}

/** The text of a message that came in a query (SAML Bindings, section 3.4.4.1). Throws `LoginRefused`. */
export function decodeRedirected(base64: string): string {
  return decodeUtf8(inflate(decodeBase64(base64)));
}

function inflate(bytes: Buffer): Buffer {
  try {
    return inflateRawSync(bytes, { maxOutputLength: LARGEST_MESSAGE });
  } catch (error) {
    const isTooLarge = errorCode(error) === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? new LoginRefused('message_too_large', 'bytes') : invalid('not deflated');
  }
}

/** Strictly RFC 4648, section 4, but for the line breaks of MIME that some providers send. */
function decodeBase64(base64: string): Buffer {
  const bare = base64.replaceAll(/[\t\r\n ]+/g, '');
  if (bare === '' || bare.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(bare))
    throw invalid('not base64');
  return Buffer.from(bare, 'base64');
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid('encoding');
  }
}

const invalid = (detail: string) => new LoginRefused('message_invalid', detail);
