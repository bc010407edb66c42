import { newToken } from '#src/kernel/token.ts';
import type { Runtime } from '#src/kernel/work.ts';
import type { Departure, EndSessionRequest, NameIdKind } from '#src/sso/connector.ts';
import { logoutConnectorFor } from '#src/sso/connector-for.ts';
import type { Federation } from '#src/sso/federation.ts';
import { tokenPlace } from '#src/sso/identities/token-place.ts';
import { rememberLogout } from '#src/sso/logout/pending-logout.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import { postLogoutRedirectUrl, samlUrls } from '#src/sso/providers/provider-urls.ts';

/** Milliseconds; whoever leaves does not wait long for a provider that hangs. */
const PATIENCE = 3_000;

/** What a session that has ended was at the provider. */
export interface LeftSession {
  identityId: string | null;
  /** The provider's own name of the session, where it has told one. */
  idpSessionId: string | null;
}

/**
 * Where somebody who has left here ends their session at the provider too (OpenID Connect RP-Initiated Logout 1.0; SAML
 * Profiles, section 4.4). Undefined when there is no such place, or the provider does not answer.
 */
export async function startLogout(
  { runtime, access }: Federation,
  provider: Provider,
  left: LeftSession,
): Promise<Departure | undefined> {
  const patience = { ...access, loginTimeout: Math.min(PATIENCE, access.loginTimeout) };
  const connector = logoutConnectorFor(provider, patience);
  const state = newToken();
  const departure = await connector?.endSession({ state, ...(await requestOf(runtime, provider, left)) });
  if (!departure) return undefined;
  const { requestId, ...whereto } = departure;
  if (requestId !== undefined) await rememberLogout(runtime, state, { provider: provider.id, requestId });
  return whereto;
}

interface Row {
  subject: string;
  name_id: NameIdKind | null;
  id_token: string | null;
}

async function requestOf(
  runtime: Runtime,
  provider: Provider,
  { identityId, idpSessionId }: LeftSession,
): Promise<Omit<EndSessionRequest, 'state'>> {
  const { pool, config } = runtime;
  const { rows } = await pool.query<Row>('select subject, name_id, id_token from identities where id = $1', [
    identityId,
  ]);
  const [identity] = rows;
  if (provider.strategy !== 'saml') {
    const idToken = identity?.id_token && identityId && openIdToken(runtime, identityId, identity.id_token);
    return {
      postLogoutRedirectUri: postLogoutRedirectUrl(config.http.appUrl),
      ...(idToken && { idToken }),
    };
  }

  const { entity_id: entityId, logout_url: postLogoutRedirectUri } = samlUrls(
    provider.id,
    config.http.appUrl,
  );
  if (!identity) return { postLogoutRedirectUri };
  const leaver = { entityId, subject: identity.subject, nameId: identity.name_id ?? {} };
  return { postLogoutRedirectUri, leaver: { ...leaver, sid: idpSessionId ?? undefined } };
}

/** A hint is only a hint: without a key that opens it the provider asks instead. */
function openIdToken({ cipher }: Runtime, identityId: string, sealed: string): string | undefined {
  try {
    return cipher.open(sealed, tokenPlace(identityId, 'id_token'));
  } catch {
    return undefined;
  }
}
