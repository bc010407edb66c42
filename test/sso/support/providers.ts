import { afterEach } from 'vitest';
import type { Connector, Identity } from '#src/sso/connector.ts';
import { LoginRefused } from '#src/sso/login-refused.ts';
import {
  createProviderAccess,
  type ProviderAccess,
  type ProviderAccessOptions,
} from '#src/sso/provider-access.ts';
import type { OAuth2Provider, OidcProvider } from '#src/sso/providers/provider.ts';
import { CLIENT_ID } from '#test/sso/support/fake-provider.ts';

export const REDIRECT_URI = 'http://localhost:3000/auth/acme/callback';

const COMMON = {
  id: 'acme',
  name: 'acme',
  label: 'Sign in with Acme',
  enabled: true,
  defaultRole: 'member',
  roleMapping: { mappings: [], conditions: [], hierarchy: {}, customMappings: {} },
  trustEmail: false,
  clientId: CLIENT_ID,
  clientSecret: 'the client secret',
  tokenEndpointAuth: 'client_secret_post',
} as const;

export function oidcProvider(issuer: string, changes: Partial<OidcProvider> = {}): OidcProvider {
  const scopes = ['openid', 'profile', 'email'];
  return { ...mutable(COMMON), strategy: 'openid_connect', issuer, scopes, ...changes };
}

export function oauth2Provider(base: string, changes: Partial<OAuth2Provider> = {}): OAuth2Provider {
  return {
    ...mutable(COMMON),
    strategy: 'oauth2',
    authorizationUrl: `${base}/authorize`,
    tokenUrl: `${base}/token`,
    userInfoUrl: `${base}/userinfo`,
    scopes: ['read:user'],
    attributes: { subject: 'id', email: 'email' },
    ...changes,
  };
}

function mutable(common: typeof COMMON) {
  return {
    ...common,
    roleMapping: { mappings: [], conditions: [], hierarchy: {}, customMappings: {} },
  };
}

/** A process's access to providers; closed after the test. */
export function useAccess(): (options?: Partial<ProviderAccessOptions>) => ProviderAccess {
  const opened: ProviderAccess[] = [];
  afterEach(() => {
    for (const access of opened.splice(0)) access.close();
  });
  return (options = {}) => {
    const access = createProviderAccess({ now: () => new Date(), ...options });
    opened.push(access);
    return access;
  };
}

/** A whole sign-in: there, through the provider, and back. */
export async function signIn(
  connector: Connector,
  authorize: (redirectTo: URL) => URL | Promise<URL>,
  state = 'state-of-this-login',
): Promise<Identity> {
  const login = { state, redirectUri: REDIRECT_URI };
  const { redirectTo, secrets } = await connector.startLogin(login);
  const url = await authorize(redirectTo);
  // Secrets are stored as JSON between the two.
  return await connector.handleCallback({ url }, { ...login, secrets: JSON.parse(JSON.stringify(secrets)) });
}

/** The reason of the refusal that a promise must end in. */
export async function reasonOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof LoginRefused) return error.reason;
    throw error;
  }
  return 'accepted';
}
