import { LoginRefused } from '#src/sso/login-refused.ts';
import { findUrlProblem } from '#src/sso/providers/parse-url.ts';
import {
  attributeOf,
  childrenNamed,
  readXml,
  textOf,
  type XmlElement,
} from '#src/sso/saml/messages/read-xml.ts';
import {
  chooseService,
  type MetadataService,
  type MetadataServices,
} from '#src/sso/saml/metadata/choose-service.ts';
import { readSigningCertificates } from '#src/sso/saml/metadata/read-signing-certificates.ts';
import { type MetadataEntity, selectEntity } from '#src/sso/saml/metadata/select-entity.ts';
import { SAML_BINDINGS, type SamlBinding } from '#src/sso/saml/saml-party.ts';
import { BINDINGS } from '#src/sso/saml/urns.ts';

/** What an identity provider publishes about itself, as far as a sign-in needs it. */
export interface IdpMetadata {
  entityId: string;
  ssoUrl: string;
  ssoBinding: SamlBinding;
  /** PEM; RSA of at least 2,048 bits, for signatures; never empty. */
  certificates: string[];
  logoutUrl?: string | undefined;
  logoutBinding?: SamlBinding | undefined;
  /** Where answers to its logout requests go, when that is not `logoutUrl`. */
  logoutResponseUrl?: string | undefined;
  /** All that can be used, by binding; the ones above are the first of them. */
  services: { sso: MetadataServices; logout: MetadataServices };
  nameIdFormats: string[];
  wantsSignedRequests: boolean;
  validUntil?: Date | undefined;
  /** Milliseconds after which it wants to be asked again. */
  cacheDuration?: number | undefined;
  /** What was left out, and why, in words of ours. */
  notes: string[];
}

interface Wanted {
  /** The configured entity id; without it the document must hold a single identity provider. */
  entityId?: string | undefined;
  /** Refuses metadata that has expired by then, and leaves such certificates out. */
  now?: Date | undefined;
}

const LIMITS = { bytes: 1024 * 1024, elements: 20_000, instructions: true };

/**
 * Reads SAML 2.0 metadata (SAML Metadata, section 2) of one identity provider, alone or among others. Signatures
 * of the document are not looked at: whoever configured the URL or gave the file vouches for it. Throws `LoginRefused`
 * with a detail of ours; nothing of the document is ever repeated.
 */
export function parseIdpMetadata(xml: string, { entityId, now }: Wanted = {}): IdpMetadata {
  const entity = selectEntity(readRoot(xml.replace(/^\uFEFF/, '')), entityId);
  if (now && entity.validUntil && entity.validUntil <= now) throw new LoginRefused('metadata_expired');
  return describe(entity, now);
}

function readRoot(text: string): XmlElement {
  try {
    return readXml(text, LIMITS);
  } catch (error) {
    if (!(error instanceof LoginRefused)) throw error;
    const { reason, detail = 'not well-formed' } = error;
    throw invalid(reason === 'message_too_large' ? `too large: ${detail}` : detail);
  }
}

function describe(
  { entityId, role, validUntil, cacheDuration }: MetadataEntity,
  now: Date | undefined,
): IdpMetadata {
  const notes: string[] = [];
  const services = {
    sso: readServices(role, 'SingleSignOnService', notes),
    logout: readServices(role, 'SingleLogoutService', notes),
  };
  const sso = chooseService(services.sso);
  if (!sso) throw invalid('no address to sign in at, by redirect or by POST');
  const certificates = readSigningCertificates(role, notes, now);
  if (certificates.length === 0) throw invalid('no RSA certificate for signatures of at least 2048 bits');

  const logout = chooseService(services.logout);
  return {
    entityId,
    ssoUrl: sso.url,
    ssoBinding: sso.binding,
    certificates,
    logoutUrl: logout?.url,
    logoutBinding: logout?.binding,
    logoutResponseUrl: logout?.responseUrl,
    services,
    nameIdFormats: readFormats(role),
    wantsSignedRequests: /^(true|1)$/.test(attributeOf(role, 'WantAuthnRequestsSigned') ?? ''),
    validUntil,
    cacheDuration,
    notes,
  };
}

/** The first usable address of each binding; what is no address of the browser's is left out. */
function readServices(role: XmlElement, name: string, notes: string[]): MetadataServices {
  const elements = childrenNamed(role, 'metadata', name);
  const found = SAML_BINDINGS.flatMap((binding) => {
    const bound = elements.filter((element) => attributeOf(element, 'Binding') === BINDINGS[binding]);
    const usable = bound.flatMap((element) => readService(element) ?? []);
    if (usable.length < bound.length) {
      notes.push(`A ${name} was left out: its address is no plain http:// or https:// URL.`);
    }
    return usable.slice(0, 1).map((service): [SamlBinding, MetadataService] => [binding, service]);
  });
  if (elements.length > 0 && found.length === 0) {
    notes.push(`No ${name} can be reached by redirect or POST.`);
  }
  return Object.fromEntries(found);
}

function readService(element: XmlElement): MetadataService | undefined {
  const url = attributeOf(element, 'Location');
  const responseUrl = attributeOf(element, 'ResponseLocation');
  if (url === undefined || !isUsable(url) || !isUsable(responseUrl ?? url)) return undefined;
  return { url, ...(responseUrl !== undefined && responseUrl !== url && { responseUrl }) };
}

function isUsable(url: string): boolean {
  return url.length <= 2_000 && findUrlProblem(url) === undefined;
}

function readFormats(role: XmlElement): string[] {
  const texts = childrenNamed(role, 'metadata', 'NameIDFormat').flatMap((format) => textOf(format) ?? []);
  return [...new Set(texts.filter((text) => /^[\x21-\x7e]{1,200}$/.test(text)))];
}

function invalid(detail: string): LoginRefused {
  return new LoginRefused('metadata_invalid', detail);
}
