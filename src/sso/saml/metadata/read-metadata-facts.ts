import { isRecord } from '#src/sso/providers/field-reader.ts';
import type { MetadataServices } from '#src/sso/saml/metadata/choose-service.ts';
import type { IdpMetadata } from '#src/sso/saml/metadata/parse-idp-metadata.ts';
import { SAML_BINDINGS, type SamlBinding } from '#src/sso/saml/saml-party.ts';

type Stored = Record<string, unknown>;

/** Metadata as it was stored in JSON; undefined for another shape than today's. */
export function readMetadataFacts(stored: Stored): IdpMetadata | undefined {
  const { entityId, ssoUrl, certificates, wantsSignedRequests, services } = stored;
  const ssoBinding = bindingOf(stored.ssoBinding);
  if (typeof entityId !== 'string' || typeof ssoUrl !== 'string' || !ssoBinding) return undefined;
  if (!isRecord(services) || typeof wantsSignedRequests !== 'boolean') return undefined;
  const pems = textsOf(certificates);
  if (pems.length === 0) return undefined;
  return {
    entityId,
    ssoUrl,
    ssoBinding,
    certificates: pems,
    logoutUrl: textOf(stored.logoutUrl),
    logoutBinding: bindingOf(stored.logoutBinding),
    logoutResponseUrl: textOf(stored.logoutResponseUrl),
    services: { sso: servicesOf(services.sso), logout: servicesOf(services.logout) },
    nameIdFormats: textsOf(stored.nameIdFormats),
    wantsSignedRequests,
    validUntil: typeof stored.validUntil === 'string' ? new Date(stored.validUntil) : undefined,
    cacheDuration: typeof stored.cacheDuration === 'number' ? stored.cacheDuration : undefined,
    notes: textsOf(stored.notes),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function textsOf(value: unknown): string[] {
  const items: unknown[] = Array.isArray(value) ? value : [];
  return items.filter((item) => typeof item === 'string');
}

function bindingOf(value: unknown): SamlBinding | undefined {
  return SAML_BINDINGS.find((binding) => binding === value);
}

function servicesOf(value: unknown): MetadataServices {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    SAML_BINDINGS.flatMap((binding) => {
      const service = value[binding];
      if (!isRecord(service) || typeof service.url !== 'string') return [];
      return [[binding, { url: service.url, responseUrl: textOf(service.responseUrl) }]];
    }),
  );
}
