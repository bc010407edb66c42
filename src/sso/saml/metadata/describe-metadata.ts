import {
  type CertificateFacts,
  describeCertificate,
  endsSoon,
} from '#src/sso/providers/describe-certificate.ts';
import type { IdpMetadata } from '#src/sso/saml/metadata/parse-idp-metadata.ts';
import { NAME_ID_FORMATS } from '#src/sso/saml/urns.ts';

/** What was found in metadata, for whoever is to say that it is right. */
export interface MetadataSummary {
  /** What each thing is, and its value. */
  facts: [what: string, value: string][];
  certificates: CertificateFacts[];
  /** What to look at, in sentences. */
  warnings: string[];
}

export function describeMetadata(metadata: IdpMetadata, now: Date): MetadataSummary {
  const certificates = metadata.certificates.map((pem) => describeCertificate(pem, now));
  const facts: [string, string | undefined][] = [
    ['entity id', metadata.entityId],
    ['sign-in URL', `${metadata.ssoUrl} (${metadata.ssoBinding})`],
    ['logout URL', metadata.logoutUrl && `${metadata.logoutUrl} (${metadata.logoutBinding ?? 'redirect'})`],
    ['logout response URL', metadata.logoutResponseUrl],
    ['NameID formats', metadata.nameIdFormats.join(', ')],
    ['valid until', metadata.validUntil?.toISOString()],
  ];
  return {
    facts: facts.flatMap(([what, value]) => (value ? [[what, value]] : [])),
    certificates,
    warnings: [...metadata.notes, ...judge(metadata), ...certificates.flatMap((each) => judgeEnd(each, now))],
  };
}

function judge({ logoutUrl, wantsSignedRequests, nameIdFormats }: IdpMetadata): string[] {
  const isTransient =
    nameIdFormats.length > 0 && nameIdFormats.every((each) => each === NAME_ID_FORMATS.transient);
  return [
    ...(isTransient
      ? [
          'It offers transient NameIDs alone, which are others at each sign-in and refused here: let the provider send one that lasts, of the format emailAddress or persistent.',
        ]
      : []),
    ...(wantsSignedRequests ? ['It wants signed requests: they need a key, and "sign requests" on.'] : []),
    ...(logoutUrl === undefined ? ['It names no logout URL: sessions there do not end from here.'] : []),
  ];
}

function judgeEnd({ fingerprint, expiresAt, problem }: CertificateFacts, now: Date): string[] {
  const which = `The certificate ${fingerprint.slice(0, 11)}…`;
  if (problem) return [`${which} ${problem}.`];
  return endsSoon(expiresAt, now) ? [`${which} ends on ${expiresAt.toISOString().slice(0, 10)}.`] : [];
}
