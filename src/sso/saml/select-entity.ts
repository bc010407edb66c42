import { LoginRefused } from '#src/sso/login-refused.ts';
import { attributeOf, childrenOf, isNamed, METADATA, PROTOCOL } from '#src/sso/saml/metadata-elements.ts';
import { readDuration } from '#src/sso/saml/read-duration.ts';

/** One identity provider of a metadata document. */
export interface MetadataEntity {
  entityId: string;
  /** Its IDPSSODescriptor. */
  role: Element;
  validUntil: Date | undefined;
  /** Milliseconds. */
  cacheDuration: number | undefined;
}

type Limits = Pick<MetadataEntity, 'validUntil' | 'cacheDuration'>;

const NO_LIMITS: Limits = { validUntil: undefined, cacheDuration: undefined };

/** The identity provider of that entity id, or the only one there is. Throws `LoginRefused`. */
export function selectEntity(root: Element, wanted: string | undefined): MetadataEntity {
  const providers = listProviders(root, NO_LIMITS);
  const found = wanted === undefined ? providers : providers.filter(({ entityId }) => entityId === wanted);
  const [entity, ...others] = found;
  if (entity && others.length === 0) return entity;
  if (entity) throw invalid(`${found.length} identity providers: the entity id must say which`);
  if (providers.length > 0) throw new LoginRefused('metadata_entity_mismatch');
  throw invalid('no SAML 2.0 identity provider in it');
}

/** What an outer element limits holds for all within (saml-metadata-2.0-os, sections 2.3.1 and 2.3.2). */
function listProviders(element: Element, outer: Limits): MetadataEntity[] {
  const limits = narrow(outer, element);
  if (isNamed(element, METADATA, 'EntitiesDescriptor')) {
    const nested = ['EntitiesDescriptor', 'EntityDescriptor'];
    return nested.flatMap((name) =>
      childrenOf(element, METADATA, name).flatMap((child) => listProviders(child, limits)),
    );
  }
  if (!isNamed(element, METADATA, 'EntityDescriptor')) throw invalid('no EntityDescriptor at the root');
  const entityId = attributeOf(element, 'entityID');
  const role = childrenOf(element, METADATA, 'IDPSSODescriptor').find(speaksSaml2);
  if (!role) return [];
  if (entityId === undefined || entityId.length > 1_024 || /\p{Cc}/u.test(entityId)) {
    throw invalid('an identity provider without a usable entity id');
  }
  return [{ entityId, role, ...narrow(limits, role) }];
}

function speaksSaml2(role: Element): boolean {
  return (attributeOf(role, 'protocolSupportEnumeration') ?? '').split(/\s+/).includes(PROTOCOL);
}

function narrow(outer: Limits, element: Element): Limits {
  const until = attributeOf(element, 'validUntil');
  const duration = attributeOf(element, 'cacheDuration');
  return {
    validUntil: until === undefined ? outer.validUntil : earlier(outer.validUntil, readTime(until)),
    cacheDuration: shorter(outer.cacheDuration, readDuration(duration)),
  };
}

/** An `xs:dateTime`, which is UTC in SAML (saml-core-2.0-os, section 1.3.3). */
function readTime(text: string): Date {
  const zoned = /(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`;
  const time = /^\d{4}-\d\d-\d\dT[\d:.]+/.test(text) ? new Date(zoned) : undefined;
  if (!time || Number.isNaN(time.getTime())) throw invalid('an end of validity that is no time');
  return time;
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
