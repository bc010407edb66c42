import { isIP } from 'node:net';
import { classifyAddress } from '#src/sso/outbound/classify-address.ts';
import type { FieldReader } from '#src/sso/providers/field-reader.ts';

/** An absolute http(s) URL without credentials and fragment (security: where we send people and secrets). */
export function readUrl(reader: FieldReader, field: string): string | undefined {
  const value = reader.text(field, 2_000);
  if (value === undefined) return undefined;
  const problem = findUrlProblem(value);
  if (problem) reader.report(field, problem);
  return problem ? undefined : value;
}

export function requireUrl(reader: FieldReader, field: string): string {
  if (reader.value(field) === undefined) reader.report(field, 'must not be empty');
  return readUrl(reader, field) ?? '';
}

/** OpenID Connect Discovery 1.0, section 4: no query, and not the address of the discovery document itself. */
export function requireIssuer(reader: FieldReader): string {
  const issuer = requireUrl(reader, 'issuer');
  if (issuer.includes('/.well-known/')) {
    reader.report('issuer', 'must be the issuer itself, without /.well-known/ and what follows');
  } else if (issuer.includes('?')) {
    reader.report('issuer', 'must not have a query');
  }
  return issuer;
}

/** Another address for people to come back to, in front of a proxy: it must still lead to our callback. */
export function readRedirectUri(reader: FieldReader, name: string): string | undefined {
  const value = readUrl(reader, 'redirect_uri');
  if (value === undefined) return undefined;
  const path = `/auth/${name}/callback`;
  const { pathname, search } = new URL(value);
  if (pathname === path && search === '') return value;
  reader.report('redirect_uri', `must end in ${path}, without a query`);
  return undefined;
}

/** What is wrong with an address that people or secrets are sent to, in words that follow its name. */
export function findUrlProblem(value: string): string | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:\/\//i.test(value)) return 'must be an absolute http:// or https:// URL';
  if (/[\s\\]/.test(value)) return 'must not hold blanks or backslashes';
  if (url.username || url.password) return 'must not hold a user name or password';
  if (value.includes('#')) return 'must not have a fragment';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) && classifyAddress(host) === 'refused')
    return 'must not lead to a link-local or reserved address';
  return undefined;
}
