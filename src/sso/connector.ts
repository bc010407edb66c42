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
}

/** What later calls at the provider need: logging out, and asking for groups again. */
export interface IdentityTokens {
  idToken?: string | undefined;
  refreshToken?: string | undefined;
  /** The provider's own session. */
  sid?: string | undefined;
}

/** A login that waits for its callback. */
export interface StartedLogin {
  state: string;
  redirectUri: string;
  secrets: LoginSecrets;
}

/** One way of federating login to a remote identity provider. Every refusal is a `LoginRefused`. */
export interface Connector {
  startLogin(login: {
    state: string;
    redirectUri: string;
  }): Promise<{ redirectTo: URL; secrets: LoginSecrets }>;
  handleCallback(callback: CallbackRequest, login: StartedLogin): Promise<Identity>;
}

/** Can ask for somebody's claims again while they are away. */
export interface RefreshingConnector {
  refresh(grant: { refreshToken: string; subject: string }): Promise<Identity>;
}

export interface EndSessionRequest {
  idToken?: string | undefined;
  postLogoutRedirectUri: string;
  state: string;
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

/** Ends sessions on both sides. */
export interface LogoutConnector {
  /** Where to send the browser (OpenID Connect RP-Initiated Logout 1.0); undefined when the provider has no such place, or does not say. */
  endSession(request: EndSessionRequest): Promise<URL | undefined>;
  /** Checks a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6); that it is new is for the caller to check. */
  verifyLogoutToken(token: string): Promise<LogoutNotice>;
}
