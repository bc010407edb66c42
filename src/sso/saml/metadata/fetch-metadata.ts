import { LoginRefused } from '#src/sso/login-refused.ts';
import type { Outbound } from '#src/sso/outbound/outbound.ts';
import { type IdpMetadata, parseIdpMetadata } from '#src/sso/saml/metadata/parse-idp-metadata.ts';

/** Where metadata is to be had, and whose it must be. */
export interface MetadataPlace {
  metadataUrl: string;
  /** The configured one; without it the document decides. */
  entityId?: string | undefined;
}

interface Fetching {
  outbound: Outbound;
  signal: AbortSignal;
  now(): Date;
}

const REDIRECTS = 3;

/** Asks for metadata, whatever a cache may know. What the answer calls itself does not matter. Throws `LoginRefused`. */
export async function fetchMetadata(
  { metadataUrl, entityId }: MetadataPlace,
  fetching: Fetching,
): Promise<IdpMetadata> {
  const { status, text } = await fetching.outbound.request(new URL(metadataUrl), {
    headers: { accept: 'application/samlmetadata+xml, application/xml, text/xml' },
    allowsPrivate: true,
    redirects: REDIRECTS,
    signal: fetching.signal,
  });
  if (status !== 200) throw new LoginRefused('provider_failed', String(status));
  return parseIdpMetadata(text, { entityId, now: fetching.now() });
}
