import { certificateLine } from '#cli/commands/providers/certificate-line.ts';
import type { Cell } from '#cli/render.ts';
import { iso } from '#cli/times.ts';
import { sentenceOfRefusal } from '#src/sso/login-refused.ts';
import { type CertificateFacts, describeCertificate } from '#src/sso/providers/describe-certificate.ts';
import type { SamlProvider } from '#src/sso/providers/provider.ts';
import type { KnownMetadata } from '#src/sso/saml/metadata/known-metadata.ts';
import { partyInUse } from '#src/sso/saml/party-in-use.ts';
import { whyNoLogout } from '#src/sso/saml/why-no-logout.ts';

export interface PresentedParty {
  lines: [label: string, value: Cell][];
  json: Record<string, unknown>;
}

/** What a SAML provider comes to at this moment, from its settings and its metadata, for people and for programs. */
export function presentParty(
  provider: SamlProvider,
  known: KnownMetadata | undefined,
  now: Date,
): PresentedParty {
  const { entityId, ssoUrl, logoutUrl, nameIdFormat, metadata, ...party } = partyInUse(provider, known);
  const certificates = party.certificates.map((pem) => describeCertificate(pem, now));
  const noLogout = whyNoLogout(provider, logoutUrl);
  const problem = metadata?.problem && (sentenceOfRefusal(metadata.problem) ?? metadata.problem);
  const read: [string, Cell][] = metadata
    ? [
        ['metadata read', iso(metadata.fetchedAt ?? null) ?? 'not yet'],
        ['metadata problem', problem],
      ]
    : [];
  return {
    lines: [
      ['used entity id', entityId ?? 'not known yet'],
      ['used sso url', ssoUrl ?? 'not known yet'],
      ...certificates.map((each): [string, Cell] => ['used certificate', certificateLine(each)]),
      ['used logout url', logoutUrl],
      ['used name id format', nameIdFormat],
      ['single logout', noLogout ?? 'works at both sides'],
      ...read,
    ],
    json: {
      entity_id: entityId ?? null,
      sso_url: ssoUrl ?? null,
      logout_url: logoutUrl ?? null,
      name_id_format: nameIdFormat,
      certificates: certificates.map(toJson),
      single_logout: { works: noLogout === undefined, problem: noLogout ?? null },
      metadata: metadata ? { fetched_at: iso(metadata.fetchedAt ?? null), problem: problem ?? null } : null,
    },
  };
}

function toJson({ subject, fingerprint, expiresAt, problem }: CertificateFacts): Record<string, unknown> {
  return {
    subject,
    fingerprint_sha256: fingerprint,
    expires_at: expiresAt.toISOString(),
    problem: problem ?? null,
  };
}
