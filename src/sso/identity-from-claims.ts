import type { Identity } from '#src/sso/connector.ts';
import { readNames } from '#src/sso/connectors/read-names.ts';
import { readOidcIdentity, readVerified } from '#src/sso/connectors/read-oidc-identity.ts';
import { readEmail } from '#src/sso/connectors/storable.ts';
import type { OAuth2Provider, Provider } from '#src/sso/provider.ts';
import { readAttribute } from '#src/sso/read-attribute.ts';
import { readGroups } from '#src/sso/read-groups.ts';

/** Who the claims speak of, read as a sign-in at this provider would read them. Nothing proves that they are true. */
export function identityFromClaims(provider: Provider, claims: Record<string, unknown>): Identity {
  if (provider.strategy === 'openid_connect') {
    const subject = textOf(claims.sub);
    return readOidcIdentity(provider, {
      subject,
      issuer: provider.issuer,
      idToken: claims,
      userInfo: {},
      tokens: {},
    });
  }
  const paths = provider.strategy === 'oauth2' ? provider.attributes : SAML_PATHS;
  const at = (path: string | undefined) => (path === undefined ? undefined : readAttribute(claims, path));
  return {
    subject: textOf(at(paths.subject)),
    issuer: null,
    email: readEmail(at(paths.email)),
    emailVerified: readVerified(at(paths.emailVerified)),
    ...readNames({ firstName: at(paths.firstName), lastName: at(paths.lastName), name: at(paths.name) }),
    groups: readGroups([claims], provider.groupAttribute),
    attributes: claims,
  };
}

/** The attributes of an assertion as people write them down; the subject is the email address. */
const SAML_PATHS: OAuth2Provider['attributes'] = {
  subject: 'email',
  email: 'email',
  firstName: 'first_name',
  lastName: 'last_name',
  name: 'name',
};

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
