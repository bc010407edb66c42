import { SAML_BINDINGS, type SamlBinding } from '#src/sso/saml/saml-party.ts';

export interface MetadataService {
  url: string;
  /** Where answers go, when that is not `url`. */
  responseUrl?: string | undefined;
}

export type MetadataServices = Partial<Record<SamlBinding, MetadataService>>;

/** The service of that binding, or else of the one that comes first. */
export function chooseService(
  services: MetadataServices,
  wanted: SamlBinding = 'redirect',
): (MetadataService & { binding: SamlBinding }) | undefined {
  const binding = [wanted, ...SAML_BINDINGS].find((each) => services[each]);
  const service = binding && services[binding];
  return service && { ...service, binding };
}
