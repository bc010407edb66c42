import type { Identity, IdentityTokens } from '#src/sso/connector.ts';
import { readNames } from '#src/sso/connectors/read-names.ts';
import { readEmail, requireStorable } from '#src/sso/connectors/storable.ts';
import type { OidcProvider } from '#src/sso/providers/provider.ts';
import { readGroups } from '#src/sso/roles/read-groups.ts';

type Claims = Record<string, unknown>;

interface Sources {
  subject: string;
  issuer: string;
  /** Empty when a refreshed login brought none. */
  idToken: Claims;
  userInfo: Claims;
  tokens: IdentityTokens;
}

/** One identity from both sources, whose subjects are known to be equal. Where both say something, the signed one counts. */
export function readOidcIdentity(provider: OidcProvider, sources: Sources): Identity {
  const { subject, issuer, idToken, userInfo, tokens } = sources;
  const attributes = requireStorable({ ...userInfo, ...idToken });
  const email = readEmail(idToken.email) ?? readEmail(userInfo.email);
  const { firstName, lastName } = readNames({
    firstName: attributes.given_name,
    lastName: attributes.family_name,
    name: attributes.name,
  });
  return {
    subject,
    issuer,
    email,
    emailVerified: isVerified(email, [idToken, userInfo]),
    firstName,
    lastName,
    groups: readGroups([idToken, userInfo], provider.groupAttribute),
    attributes,
    tokens,
  };
}

/** Only a source that names this very email can speak of it; a "no" counts more than a "yes". */
function isVerified(email: string | null, sources: Claims[]): boolean | null {
  const answers = sources
    .filter((claims) => email !== null && readEmail(claims.email) === email)
    .map((claims) => readVerified(claims.email_verified));
  if (answers.includes(false)) return false;
  return answers.includes(true) ? true : null;
}

/**
 * Only `true` is a yes. The text "true", as Amazon Cognito writes it, proves nothing, like an absent claim: such a
 * provider needs `trust_email`. Whatever else is a no.
 */
export function readVerified(value: unknown): boolean | null {
  if (value === undefined || value === null || value === 'true') return null;
  return value === true;
}
