import { fixture } from '#test/sso/given-provider.ts';
import { bareBase64 } from '#test/sso/support/saml-keys.ts';

export interface MetadataParts {
  entityId?: string;
  /** Of the EntityDescriptor, beside its entity id. */
  attributes?: string;
  wantsSignedRequests?: boolean;
  keys?: string[];
  logout?: string[];
  sso?: string[];
  nameIdFormats?: string[];
}

/** Metadata of an identity provider, as plain as can be. */
export function metadataXml(parts: MetadataParts = {}): string {
  const {
    entityId = 'https://idp.example.com/metadata',
    attributes = '',
    wantsSignedRequests = false,
  } = parts;
  const {
    keys = [key('strong.crt', 'signing')],
    logout = [service('SingleLogoutService', 'HTTP-Redirect', 'https://idp.example.com/logout')],
    sso = [service('SingleSignOnService', 'HTTP-Redirect')],
    nameIdFormats = [],
  } = parts;
  const formats = nameIdFormats.map((format) => `<md:NameIDFormat>${format}</md:NameIDFormat>`);
  return `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${entityId}" ${attributes}><md:IDPSSODescriptor WantAuthnRequestsSigned="${wantsSignedRequests}" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${[...keys, ...logout, ...formats, ...sso].join('')}</md:IDPSSODescriptor></md:EntityDescriptor>`;
}

/** A certificate of test/fixtures/certificates. */
export function key(name: string, use: string | undefined): string {
  const attribute = use === undefined ? '' : ` use="${use}"`;
  return `<md:KeyDescriptor${attribute}><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${bareBase64(fixture(name))}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`;
}

export function service(name: string, binding: string, location = 'https://idp.example.com/sso'): string {
  return `<md:${name} Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" Location="${location}"/>`;
}
