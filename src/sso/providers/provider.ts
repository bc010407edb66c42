import type { SamlBinding } from '#src/sso/saml/saml-party.ts';
import type { Role } from '#src/users/role.ts';

export const STRATEGIES = ['openid_connect', 'oauth2', 'saml'] as const;

export const TOKEN_ENDPOINT_AUTH = ['client_secret_post', 'client_secret_basic'] as const;

type TokenEndpointAuth = (typeof TOKEN_ENDPOINT_AUTH)[number];

/** What an identity provider's answers mean for a user (specification, Role mapping shapes). */
export interface RoleMapping {
  mappings: { group: string; role: Role }[];
  conditions: { attribute: string; value: string; groups: string[]; role: Role }[];
  /** A role, and the roles it includes. */
  hierarchy: Partial<Record<Role, Role[]>>;
  /** Attribute path at the provider → field of the user. */
  customMappings: Record<string, string>;
}

/** What every provider has, whatever its protocol. */
interface CommonProvider {
  /** The provider's own identifier: a slug that never changes. Identities belong to it. */
  id: string;
  /** Unique; the path of the callback. May be changed. */
  name: string;
  /** The text of the sign-in button. */
  label: string;
  enabled: boolean;
  defaultRole: Role;
  roleMapping: RoleMapping;
  /** OpenID Connect: whether an email counts as verified although the provider never says so. */
  trustEmail: boolean;
  /** Claim or attribute that carries groups; undefined: the usual names are tried. */
  groupAttribute?: string | undefined;
}

export interface OidcProvider extends CommonProvider {
  strategy: 'openid_connect';
  issuer: string;
  clientId: string;
  /** None: a public client, which PKCE alone protects. */
  clientSecret?: string | undefined;
  /** Where the provider sends people back, when it is not what APP_URL gives; ends in `/auth/<name>/callback`. */
  redirectUri?: string | undefined;
  scopes: string[];
  tokenEndpointAuth: TokenEndpointAuth;
}

export interface OAuth2Provider extends CommonProvider {
  strategy: 'oauth2';
  authorizationUrl: string;
  tokenUrl: string;
  userInfoUrl: string;
  /** A second address that lists emails with their verification, where the first does not tell (GitHub). */
  emailsUrl?: string | undefined;
  clientId: string;
  clientSecret: string;
  /** Where the provider sends people back, when it is not what APP_URL gives; ends in `/auth/<name>/callback`. */
  redirectUri?: string | undefined;
  scopes: string[];
  tokenEndpointAuth: TokenEndpointAuth;
  /** Attribute paths in the user info; arrays by index (`emails.0.value`). */
  attributes: {
    subject: string;
    email: string;
    emailVerified?: string | undefined;
    firstName?: string | undefined;
    lastName?: string | undefined;
    name?: string | undefined;
  };
}

export interface SamlProvider extends CommonProvider {
  strategy: 'saml';
  /** What the provider publishes about itself; it fills whatever is not configured. */
  metadataUrl?: string | undefined;
  /** Always there without `metadataUrl`. */
  entityId?: string | undefined;
  /** Always there without `metadataUrl`. */
  ssoUrl?: string | undefined;
  ssoBinding?: SamlBinding | undefined;
  /** PEM, one or several (rotation); none: those of the metadata. */
  certificates: string[];
  logoutUrl?: string | undefined;
  logoutBinding?: SamlBinding | undefined;
  /** Where answers to its own logout requests go, when that is not `logoutUrl`. */
  logoutResponseUrl?: string | undefined;
  /** A URN or another URI; undefined: as the metadata offers, else an email address. */
  nameIdFormat?: string | undefined;
  /** Names of attributes that are looked for before the usual ones. */
  attributes: { email?: string | undefined; firstName?: string | undefined; lastName?: string | undefined };
  signRequests: boolean;
  /** PEM; ours, for requests we sign. */
  privateKey?: string | undefined;
  certificate?: string | undefined;
  /** PEM; ours, for assertions encrypted to us. */
  decryptionKey?: string | undefined;
  decryptionCertificate?: string | undefined;
  requireEncryptedAssertions: boolean;
  allowIdpInitiated: boolean;
  allowSha1: boolean;
}

/** One way to sign in elsewhere; a union by strategy (specification, Identity provider configuration). */
export type Provider = OidcProvider | OAuth2Provider | SamlProvider;
