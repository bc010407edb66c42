import type { Stored } from '#src/http/admin/sso-provider-show.ts';
import type { InUse, Keys } from '#src/http/admin/sso-saml-page.ts';
import { sentenceOfRefusal } from '#src/sso/login-refused.ts';
import { describeCertificate } from '#src/sso/providers/describe-certificate.ts';
import { parseProvider } from '#src/sso/providers/parse-provider.ts';
import type { KnownMetadata } from '#src/sso/saml/metadata/known-metadata.ts';
import { ownCertificates } from '#src/sso/saml/own-certificates.ts';
import { partyInUse } from '#src/sso/saml/party-in-use.ts';
import { whyNoLogout } from '#src/sso/saml/why-no-logout.ts';

/** What a stored SAML provider comes to at this moment; `inUse` is undefined for one that cannot work. */
export function describeInUse(
  { sealed, fields }: Stored,
  known: KnownMetadata | undefined,
  now: Date,
): { inUse: Omit<InUse, 'token'> | undefined; keys: Keys['certificates'] } {
  const { provider } = parseProvider(fields);
  if (provider?.strategy !== 'saml') return { inUse: undefined, keys: {} };
  const { entityId, ssoUrl, certificates, logoutUrl, metadata } = partyInUse(provider, known);
  const describe = (pem: string) => ({ ...describeCertificate(pem, now), pem });
  return {
    inUse: {
      name: sealed.name,
      now,
      entityId,
      ssoUrl,
      certificates: certificates.map(describe),
      noLogout: whyNoLogout(provider, logoutUrl),
      metadata: metadata && {
        fetchedAt: metadata.fetchedAt,
        problem: metadata.problem && (sentenceOfRefusal(metadata.problem) ?? metadata.problem),
      },
    },
    keys: Object.fromEntries(ownCertificates(provider).map(({ use, pem }) => [use, describe(pem)])),
  };
}
