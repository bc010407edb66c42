/** What a login in progress keeps for itself until the person comes back; JSON, never shown to the browser. */
export type LoginSecrets = Readonly<Record<string, string>>;

export interface CallbackRequest {
  /** The configured base URL with path and query of the request; never built from its Host header. */
  url: URL;
  /** Fields of a POSTed form. */
  form?: Readonly<Record<string, string>> | undefined;
}

/** Who somebody is, as an identity provider says. Subject and provider together are the identity. */
export interface Identity {
  subject: string;
  /** Of the ID token; null for providers that name none. */
  issuer: string | null;
  email: string | null;
  /** Null: the provider never said. */
  emailVerified: boolean | null;
  firstName: string | null;
  lastName: string | null;
  /** Null: none were sent, which is not the same as none. */
  groups: string[] | null;
  /** Everything the provider said, for conditions and custom mappings. */
  attributes: Record<string, unknown>;
  tokens?: IdentityTokens | undefined;
  /** What proved it, where that must be accepted once only. */
  assertion?: OneTimeProof | undefined;
}

/** Accepted once, by whichever process gets it first. */
export interface OneTimeProof {
  id: string;
  /** ISO 8601; afterwards it is refused for its age. */
  expiresAt: string;
  /** When it was made, where that decides something; ISO 8601. */
  issuedAt?: string | undefined;
  /** How the provider is asked to name people: a URI of SAML. */
  nameIdFormat?: string | undefined;
}

/** What later calls at the provider need: logging out, and asking for groups again. */
export interface IdentityTokens {
  idToken?: string | undefined;
  refreshToken?: string | undefined;
  /** The provider's own session: `sid` of OpenID Connect, SessionIndex of SAML. */
  sid?: string | undefined;
  /** How SAML names the person beside the value, which is the subject. */
  nameId?: NameIdKind | undefined;
}

/** Attributes of a NameID (SAML Core, section 2.2.2). */
export interface NameIdKind {
  format?: string | undefined;
  nameQualifier?: string | undefined;
  spNameQualifier?: string | undefined;
}

/** A login that waits for its callback. */
export interface StartedLogin {
  state: string;
  redirectUri: string;
  secrets: LoginSecrets;
}

/** Where a browser is sent. */
export interface Departure {
  redirectTo: URL;
  /** Fields of a form to post there; without it the browser goes there by GET. */
  form?: Readonly<Record<string, string>> | undefined;
}

/** One way of federating login to a remote identity provider. Every refusal is a `LoginRefused`. */
export interface Connector {
  startLogin(login: { state: string; redirectUri: string }): Promise<Departure & { secrets: LoginSecrets }>;
  handleCallback(callback: CallbackRequest, login: StartedLogin): Promise<Identity>;
}

/** Can ask for somebody's claims again while they are away. */
export interface RefreshingConnector {
  refresh(grant: { refreshToken: string; subject: string }): Promise<Identity>;
}

export interface EndSessionRequest {
  idToken?: string | undefined;
  /** Where the provider sends the browser afterwards, or its answer. */
  postLogoutRedirectUri: string;
  state: string;
  /** As SAML names who leaves. */
  leaver?: Leaver | undefined;
}

/** A person at a provider, and the session they leave. */
export interface Leaver {
  /** Who says so: the name of this service at the provider. */
  entityId: string;
  subject: string;
  nameId: NameIdKind;
  /** Undefined: all of theirs. */
  sid?: string | undefined;
}

/** Where a browser goes to leave the provider too. */
interface LogoutDeparture extends Departure {
  /** What the provider's answer will name; undefined when nothing is to be checked of it. */
  requestId?: string | undefined;
}

/** The session that a provider's logout token names: by subject, by session, or by both. */
export interface LogoutNotice {
  issuer: string;
  subject: string | null;
  sid: string | null;
  /** To be accepted once only, until `expiresAt`. */
  tokenId: string;
  expiresAt: Date;
}

/** Ends the provider's session of somebody who leaves here. */
export interface LogoutConnector {
  /** Whether the provider has a place for that, and says so. */
  offersLogout(): Promise<boolean>;
  /** Where to send the browser; undefined when the provider has no such place, or does not say. */
  endSession(request: EndSessionRequest): Promise<LogoutDeparture | undefined>;
}

/** Hears from the provider, without a browser, who has left there. */
export interface BackchannelConnector {
  /** Checks a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6); that it is new is for the caller to check. */
  verifyLogoutToken(token: string): Promise<LogoutNotice>;
}
