import { LoginRefused } from '#src/sso/login-refused.ts';
import { readTime } from '#src/sso/saml/messages/read-time.ts';
import { attributeOf, childrenNamed, isNamed, type XmlElement } from '#src/sso/saml/messages/read-xml.ts';
import { readDuration } from '#src/sso/saml/metadata/read-duration.ts';
import { NAMESPACES } from '#src/sso/saml/urns.ts';

/** One identity provider of a metadata document. */
export interface MetadataEntity {
  entityId: string;
  /** Its IDPSSODescriptor. */
  role: XmlElement;
  validUntil: Date | undefined;
  /** Milliseconds. */
  cacheDuration: number | undefined;
}

type Limits = Pick<MetadataEntity, 'validUntil' | 'cacheDuration'>;

const NO_LIMITS: Limits = { validUntil: undefined, cacheDuration: undefined };

/** The identity provider of that entity id, or the only one there is. Throws `LoginRefused`. */
export function selectEntity(root: XmlElement, wanted: string | undefined): MetadataEntity {
  const providers = listProviders(root, NO_LIMITS);
  const found = wanted === undefined ? providers : providers.filter(({ entityId }) => entityId === wanted);
  const [entity, ...others] = found;
  if (entity && others.length === 0) return entity;
  if (entity) throw invalid(`${found.length} identity providers: the entity id must say which`);
  if (providers.length > 0) throw new LoginRefused('metadata_entity_mismatch');
  throw invalid('no SAML 2.0 identity provider in it');
}

/** What an outer element limits holds for all within (SAML Metadata, sections 2.3.1 and 2.3.2). */
function listProviders(element: XmlElement, outer: Limits): MetadataEntity[] {
  const limits = narrow(outer, element);
  if (isNamed(element, 'metadata', 'EntitiesDescriptor')) {
    const nested = ['EntitiesDescriptor', 'EntityDescriptor'];
    return nested.flatMap((name) =>
      childrenNamed(element, 'metadata', name).flatMap((child) => listProviders(child, limits)),
    );
  }
  if (!isNamed(element, 'metadata', 'EntityDescriptor')) throw invalid('no EntityDescriptor at the root');
  const entityId = attributeOf(element, 'entityID');
  const role = childrenNamed(element, 'metadata', 'IDPSSODescriptor').find(speaksSaml2);
  if (!role) return [];
  if (entityId === undefined || entityId.length > 1_024 || /\p{Cc}/u.test(entityId)) {
    throw invalid('an identity provider without a usable entity id');
  }
  return [{ entityId, role, ...narrow(limits, role) }];
}

function speaksSaml2(role: XmlElement): boolean {
  return (attributeOf(role, 'protocolSupportEnumeration') ?? '').split(/\s+/).includes(NAMESPACES.protocol);
}

function narrow(outer: Limits, element: XmlElement): Limits {
  const until = attributeOf(element, 'validUntil');
  const duration = attributeOf(element, 'cacheDuration');
  return {
    validUntil: until === undefined ? outer.validUntil : earlier(outer.validUntil, requireTime(until)),
    cacheDuration: shorter(outer.cacheDuration, readDuration(duration)),
  };
}

function requireTime(text: string): Date {
  const time = readTime(text);
  if (time === undefined) throw invalid('an end of validity that is no time');
  return new Date(time);
}

function earlier(one: Date | undefined, other: Date): Date {
  return one && one < other ? one : other;
}

function shorter(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

function invalid(detail: string): LoginRefused {
  return new LoginRefused('metadata_invalid', detail);
}
