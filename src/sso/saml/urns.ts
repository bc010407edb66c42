import type { SamlBinding } from '#src/sso/saml/saml-party.ts';

export const NAMESPACES = {
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  encryption: 'http://www.w3.org/2001/04/xmlenc#',
} as const;

/** Both go through the browser (SAML Bindings, sections 3.4 and 3.5). */
export const BINDINGS: Readonly<Record<SamlBinding, string>> = {
  redirect: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
  post: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
};

/** SAML Core, section 8.3. */
export const NAME_ID_FORMATS = {
  unspecified: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
  emailAddress: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  transient: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
} as const;

/** SAML Core, section 3.2.2.2. */
export const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';

/** The last parts of the URNs there; any other word in a status is the provider's own. */
export const STATUS_CODES: readonly string[] = [
  'Requester',
  'Responder',
  'VersionMismatch',
  'AuthnFailed',
  'InvalidAttrNameOrValue',
  'InvalidNameIDPolicy',
  'NoAuthnContext',
  'NoAvailableIDP',
  'NoPassive',
  'NoSupportedIDP',
  'PartialLogout',
  'ProxyCountExceeded',
  'RequestDenied',
  'RequestUnsupported',
  'RequestVersionDeprecated',
  'RequestVersionTooHigh',
  'RequestVersionTooLow',
  'ResourceNotRecognized',
  'TooManyResponses',
  'UnknownAttrProfile',
  'UnknownPrincipal',
  'UnsupportedBinding',
];
