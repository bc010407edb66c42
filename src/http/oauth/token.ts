import type Koa from 'koa';
import { type IssuedToken, issueAccessToken } from '#src/auth/issue-access-token.ts';
import { sourceOf } from '#src/http/address.ts';
import type { KeyUsage } from '#src/http/key-usage.ts';
import { answerOtherMethod } from '#src/http/middleware/unmatched.ts';
import { TokenRefusal } from '#src/http/oauth/token-refusal.ts';
import { readTokenRequest } from '#src/http/oauth/token-request.ts';
import { tooMany } from '#src/http/rate-limit.ts';
import type { Context, State } from '#src/http/state.ts';
import { countUse } from '#src/kernel/quota.ts';
import type { Runtime } from '#src/kernel/work.ts';

const PATH = '/oauth/token';

/** Per address, whatever is asked for and however it ends (specification, Limits). */
const QUOTA = { limit: 10, seconds: 60 };

export interface OAuthParts {
  runtime: Runtime;
  usage: KeyUsage;
}

/** `POST /oauth/token`: a bearer token for an API key (RFC 6749, client credentials). */
export function oauthRoutes(parts: OAuthParts): Koa.Middleware<State> {
  return async (ctx, next) => {
    if (ctx.path !== PATH) await next();
    else await answerRequest(parts, ctx);
  };
}

async function answerRequest({ runtime, usage }: OAuthParts, ctx: Context): Promise<void> {
  ctx.state.route = PATH;
  await limit(runtime, ctx);
  if (ctx.method !== 'POST') return answerOtherMethod(ctx, ['POST']);
  try {
    const issued = await issue(runtime, ctx);
    usage.touch(issued.keyId);
    answer(ctx, 200, present(issued));
  } catch (error) {
    if (!(error instanceof TokenRefusal)) throw error;
    refuse(ctx, error);
  }
}

async function limit(runtime: Runtime, ctx: Context): Promise<void> {
  const { count, resetInSeconds } = await countUse(runtime, `oauth:${sourceOf(ctx)}`, QUOTA);
  if (count > QUOTA.limit) throw tooMany({ limit: QUOTA.limit, current: count, wait: resetInSeconds });
}

async function issue(runtime: Runtime, ctx: Context): Promise<IssuedToken> {
  const { client, scope } = await readTokenRequest(ctx);
  const outcome = await issueAccessToken(runtime, { keyId: client.id, key: client.secret, scope });
  if (outcome === 'unknown_key') {
    throw new TokenRefusal('invalid_client', 'This is not the id of an API key together with that key');
  }
  if (outcome === 'scope_exceeded') {
    throw new TokenRefusal('invalid_scope', 'scope: must not exceed the scope of the API key');
  }
  return outcome;
}

function present({ token, scope, expiresIn }: IssuedToken): object {
  return { access_token: token, token_type: 'Bearer', expires_in: expiresIn, scope };
}

function refuse(ctx: Context, { code, message }: TokenRefusal): void {
  if (code === 'invalid_client') ctx.res.setHeader('WWW-Authenticate', 'Basic realm="oauth"');
  answer(ctx, code === 'invalid_client' ? 401 : 400, { error: code, error_description: message });
}

/** RFC 6749, section 5.1: both headers, for caches of every age. */
function answer(ctx: Context, status: number, body: object): void {
  ctx.status = status;
  ctx.res.setHeader('Cache-Control', 'no-store');
  ctx.res.setHeader('Pragma', 'no-cache');
  ctx.res.setHeader('Content-Type', 'application/json; charset=utf-8');
  ctx.body = JSON.stringify(body);
}
