import { covers, SCOPES, type Scope } from '#src/auth/scope.ts';
import { type Fields, readForm } from '#src/http/fields.ts';
import { readBody } from '#src/http/middleware/bound-body.ts';
import { type ClientCredentials, readClient } from '#src/http/oauth/client-credentials.ts';
import { TokenRefusal } from '#src/http/oauth/token-refusal.ts';
import type { Context } from '#src/http/state.ts';
import { AppError } from '#src/kernel/errors.ts';

export interface ClientCredentialsGrant {
  client: ClientCredentials;
  /** Undefined: whatever the key may. */
  scope: Scope | undefined;
}

/** A request for a token (RFC 6749, section 4.4.2). Throws TokenRefusal, and `unsupported_media_type` for no form. */
export async function readTokenRequest(ctx: Context): Promise<ClientCredentialsGrant> {
  const fields = await readParameters(ctx);
  const grantType = fields.get('grant_type');
  if (!grantType) throw new TokenRefusal('invalid_request', 'grant_type: must be client_credentials');
  const client = readClient(ctx.req.headersDistinct.authorization ?? [], fields);
  if (grantType !== 'client_credentials') {
    throw new TokenRefusal('unsupported_grant_type', 'grant_type: only client_credentials is supported');
  }
  return { client, scope: readScope(fields.get('scope')) };
}

/** What is sent without a value counts as not sent, and what nobody knows is ignored (section 3.2). */
async function readParameters(ctx: Context): Promise<Fields> {
  if ((await readBody(ctx)).length === 0) return new Map();
  try {
    return await readForm(ctx);
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation_failed') {
      throw new TokenRefusal('invalid_request', error.message);
    }
    throw error;
  }
}

/** A list separated by spaces, in any order (section 3.3); the widest of them includes the others. */
function readScope(text = ''): Scope | undefined {
  const wanted = text.split(' ').filter((name) => name !== '');
  const known = SCOPES.filter((scope) => wanted.includes(scope));
  if (wanted.some((name) => !SCOPES.some((scope) => scope === name))) {
    throw new TokenRefusal('invalid_scope', `scope: must be of ${SCOPES.join(', ')}`);
  }
  return known.find((scope) => known.every((other) => covers(scope, other)));
}
