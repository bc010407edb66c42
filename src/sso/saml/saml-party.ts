export const SAML_BINDINGS = ['redirect', 'post'] as const;

export type SamlBinding = (typeof SAML_BINDINGS)[number];

/** An identity provider as SAML speaks of it at this moment: what is configured, and what its metadata says of the rest. */
export interface SamlParty {
  entityId: string;
  ssoUrl: string;
  ssoBinding: SamlBinding;
  /** What people are asked to be named by; a URI. */
  nameIdFormat: string;
  /** PEM; any of them may sign (rotation). */
  certificates: readonly string[];
  /** Undefined: sessions there do not end from here. */
  logoutUrl?: string | undefined;
  logoutBinding: SamlBinding;
  /** Where answers to its own logout requests go, when that is not `logoutUrl`. */
  logoutResponseUrl?: string | undefined;
}
