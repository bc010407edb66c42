import type { Identity } from '#src/sso/connector.ts';
import { requireSubject } from '#src/sso/connectors/check-id-token.ts';
import { chooseEmail } from '#src/sso/connectors/choose-email.ts';
import { parseJson } from '#src/sso/connectors/parse-json.ts';
import { readNames } from '#src/sso/connectors/read-names.ts';
import { readVerified } from '#src/sso/connectors/read-oidc-identity.ts';
import type { OAuth2Session } from '#src/sso/connectors/redeem-oauth2-code.ts';
import { readEmail, requireStorable } from '#src/sso/connectors/storable.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import { isRecord } from '#src/sso/providers/field-reader.ts';
import { readAttribute } from '#src/sso/roles/read-attribute.ts';
import { readGroups } from '#src/sso/roles/read-groups.ts';

/** Asks who the access token belongs to, at one address or at two. The email is never the identity. */
export async function readOAuth2Identity(session: OAuth2Session, accessToken: string): Promise<Identity> {
  const { attributes: paths, userInfoUrl, emailsUrl, groupAttribute } = session.provider;
  const [userInfo, emails] = await Promise.all([
    askJson(session, userInfoUrl, accessToken),
    emailsUrl === undefined ? undefined : askJson(session, emailsUrl, accessToken),
  ]);
  if (!isRecord(userInfo)) throw new LoginRefused('provider_answer_invalid');

  const attributes = requireStorable(userInfo);
  const at = (path: string | undefined) => (path === undefined ? undefined : readAttribute(attributes, path));
  const own = { email: readEmail(at(paths.email)), emailVerified: readVerified(at(paths.emailVerified)) };
  return {
    subject: requireSubject(toSubject(at(paths.subject))),
    issuer: null,
    ...(emailsUrl === undefined ? own : chooseEmail(emails)),
    ...readNames({ firstName: at(paths.firstName), lastName: at(paths.lastName), name: at(paths.name) }),
    groups: readGroups([attributes], groupAttribute),
    attributes,
  };
}

/** Numbers are usual ids; those that a number cannot hold are text already. */
const toSubject = (value: unknown) => (Number.isSafeInteger(value) ? String(value) : (value ?? undefined));

async function askJson(
  { outbound, signal }: OAuth2Session,
  url: string,
  accessToken: string,
): Promise<unknown> {
  const { status, text } = await outbound.request(new URL(url), {
    headers: { accept: 'application/json', authorization: `Bearer ${accessToken}` },
    allowsPrivate: true,
    signal,
  });
  if (status !== 200) throw new LoginRefused('provider_failed', String(status));
  try {
    return parseJson(text);
  } catch {
    throw new LoginRefused('provider_not_json');
  }
}
