import { newToken } from '#src/kernel/token.ts';
import type { Runtime } from '#src/kernel/work.ts';
import { logoutConnectorFor } from '#src/sso/connector-for.ts';
import type { Federation } from '#src/sso/federation.ts';
import type { Provider } from '#src/sso/provider.ts';
import { tokenPlace } from '#src/sso/token-place.ts';

/** Milliseconds; whoever leaves does not wait long for a provider that hangs. */
const PATIENCE = 3_000;

/**
 * Where somebody who leaves ends their session at the provider too (OpenID Connect RP-Initiated Logout 1.0). Undefined
 * when there is no such place, or the provider does not answer.
 */
export async function findLogoutUrl(
  { runtime, access }: Federation,
  provider: Provider,
  identityId: string | null,
): Promise<URL | undefined> {
  const patience = { ...access, loginTimeout: Math.min(PATIENCE, access.loginTimeout) };
  return await logoutConnectorFor(provider, patience)?.endSession({
    idToken: identityId === null ? undefined : await readIdToken(runtime, identityId),
    postLogoutRedirectUri: `${runtime.config.http.appUrl}/auth/logout/callback`,
    state: newToken(),
  });
}

/** A hint is only a hint: without a key that opens it the provider asks instead. */
async function readIdToken({ pool, cipher }: Runtime, identityId: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ id_token: string | null }>(
    'select id_token from identities where id = $1',
    [identityId],
  );
  const sealed = rows[0]?.id_token;
  if (!sealed) return undefined;
  try {
    return cipher.open(sealed, tokenPlace(identityId, 'id_token'));
  } catch {
    return undefined;
  }
}
