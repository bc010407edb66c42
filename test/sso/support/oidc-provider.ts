import { type Configuration, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { CLIENT_ID } from '#test/sso/support/fake-provider.ts';
import { listenOnLoopback } from '#test/sso/support/http.ts';
import { REDIRECT_URI } from '#test/sso/support/providers.ts';
import { makeKey } from '#test/sso/support/signing-key.ts';

export interface RealProvider {
  issuer: string;
  /** What was asked, such as `POST /token`. */
  requests: string[];
  /** Somebody leaves there: the logout token that it sends to us. */
  logOut(subject: string): Promise<string>;
  /** A browser goes there, somebody signs in, and it comes back. */
  authorize: (redirectTo: URL) => Promise<URL>;
  close(): Promise<void>;
}

const SECRET = 'the client secret';

/** A certified implementation, on a free port, where everybody is Ada and agrees to everything. */
export async function startOidcProvider(): Promise<RealProvider> {
  const logoutTokens: string[] = [];
  const server = await listenOnLoopback((request, response) => void callback(request, response));
  const issuer = `http://127.0.0.1:${server.port}`;
  const provider = new Provider(
    issuer,
    settings((token) => logoutTokens.push(token)),
  );
  const requests: string[] = [];

  provider.use(async (ctx, next) => {
    requests.push(`${ctx.method} ${ctx.path}`);
    if (ctx.path.startsWith('/interaction/')) await agree(provider, ctx);
    else await next();
  });
  const callback = provider.callback();

  return {
    issuer,
    requests,
    logOut: async (subject) => {
      const client = await provider.Client.find(CLIENT_ID);
      if (!client || typeof client.backchannelLogout !== 'function') throw new Error('no client');
      await client.backchannelLogout(subject, 'of no matter');
      return logoutTokens.at(-1) ?? '';
    },
    authorize: (redirectTo) => browse(redirectTo),
    close: () => server.close(),
  };
}

function settings(onLogout: (token: string) => void): Configuration {
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: SECRET,
        redirect_uris: [REDIRECT_URI],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'client_secret_post',
        post_logout_redirect_uris: [
          'http://localhost:3000/bye',
          'http://localhost:3000/auth/logout/callback',
        ],
        backchannel_logout_uri: 'https://finance.example/logout',
      },
      {
        client_id: 'basic-app.1',
        client_secret: 'a b:c%d+e/f&~',
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'family_name'],
      groups: ['groups'],
    },
    scopes: ['openid', 'offline_access', 'email', 'profile', 'groups'],
    features: {
      devInteractions: { enabled: false },
      claimsParameter: { enabled: true },
      backchannelLogout: { enabled: true },
    },
    jwks: { keys: [{ ...makeKey().privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    ttl: {
      Interaction: 60,
      Session: 60,
      Grant: 60,
      AccessToken: 60,
      RefreshToken: 60,
      IdToken: 60,
      AuthorizationCode: 60,
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    // The only thing it ever asks of others.
    fetch: async (_url, options) => {
      const form = options?.body;
      if (form instanceof URLSearchParams) onLogout(form.get('logout_token') ?? '');
      return new Response();
    },
    cookies: { keys: ['of the test'] },
    issueRefreshToken: async () => true,
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: async () => ({
        sub: id,
        email: 'ada@example.com',
        email_verified: true,
        given_name: 'Ada',
        family_name: 'Lovelace',
        groups: ['engines', 'board'],
      }),
    }),
  };
}

async function agree(
  provider: Provider,
  ctx: KoaContextWithOIDC | { req: unknown; res: unknown },
): Promise<void> {
  const { req, res } = ctx as KoaContextWithOIDC;
  const { prompt, params, session } = await provider.interactionDetails(req, res);
  if (prompt.name === 'login')
    return await provider.interactionFinished(req, res, { login: { accountId: 'ada-1815' } });

  const grant = new provider.Grant({
    accountId: session?.accountId ?? '',
    clientId: String(params.client_id),
  });
  grant.addOIDCScope('openid email profile offline_access groups');
  grant.addOIDCClaims(['groups', 'email', 'email_verified', 'given_name', 'family_name']);
  const grantId = await grant.save();
  return await provider.interactionFinished(req, res, { consent: { grantId } });
}

/** Follows redirects with cookies until one leads away from the provider. */
async function browse(start: URL): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let step = 0; step < 10 && url.origin === start.origin; step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null)
      throw new Error(`${url.pathname} answered ${response.status}: ${await response.text()}`);
    url = new URL(location, url);
  }
  return url;
}
