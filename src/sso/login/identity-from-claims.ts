import type { Identity } from '#src/sso/connector.ts';
import { readNames } from '#src/sso/connectors/read-names.ts';
import { readOidcIdentity, readVerified } from '#src/sso/connectors/read-oidc-identity.ts';
import { readEmail } from '#src/sso/connectors/storable.ts';
import type { OAuth2Provider, Provider, SamlProvider } from '#src/sso/providers/provider.ts';
import { readAttribute } from '#src/sso/roles/read-attribute.ts';
import { readGroups } from '#src/sso/roles/read-groups.ts';
import type { SamlAttributes } from '#src/sso/saml/login/read-saml-attributes.ts';
import { readSamlIdentity } from '#src/sso/saml/login/read-saml-identity.ts';

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
  return provider.strategy === 'saml' ? fromAttributes(provider, claims) : fromUserInfo(provider, claims);
}

function fromUserInfo(provider: OAuth2Provider, claims: Record<string, unknown>): Identity {
  const paths = provider.attributes;
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

/** The attributes of an assertion as people write them down; the NameID is `name_id` there, or else the email. */
function fromAttributes(provider: SamlProvider, claims: Record<string, unknown>): Identity {
  const attributes: SamlAttributes = Object.fromEntries(
    Object.entries(claims).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(textOf) : textOf(value),
    ]),
  );
  const identity = readSamlIdentity(provider, { subject: '', nameId: {}, attributes });
  return {
    ...identity,
    subject: textOf(claims.name_id) || (identity.email ?? ''),
    issuer: provider.entityId ?? null,
    attributes: claims,
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
