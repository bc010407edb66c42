import { accessTokenDigest, newAccessTokenValue } from '#src/auth/access-token-value.ts';
import { apiKeyDigest } from '#src/auth/api-key-value.ts';
import { KEY_IN_FORCE } from '#src/auth/key-in-force.ts';
import { covers, SCOPES, type Scope } from '#src/auth/scope.ts';
import { named } from '#src/kernel/statement.ts';
import { isUuid } from '#src/kernel/uuid.ts';
import type { Runtime } from '#src/kernel/work.ts';

const LIFE_SECONDS = 3_600;

export interface TokenRequest {
  keyId: string;
  /** The API key itself. */
  key: string;
  /** Default: the key's own. */
  scope?: Scope | undefined;
}

export interface IssuedToken {
  keyId: string;
  /** The only time it is seen. */
  token: string;
  scope: Scope;
  /** Seconds: an hour, or what is left of the key's own life. */
  expiresIn: number;
}

/**
 * Key check, issue and pruning in one statement, which is a transaction of its own. The key's row is held until the
 * token is in, so that a key removed meanwhile is an unknown one; two that prune at once never wait for each other.
 */
const ISSUE = `with k as materialized (
  select api_keys.id, api_keys.scope, api_keys.expires_at
  from api_keys join users on users.id = api_keys.user_id
  where api_keys.digest = $1 and api_keys.id = $2
    and ${KEY_IN_FORCE}
  for key share of api_keys
), pruned as (
  delete from access_tokens where digest in (
    select digest from access_tokens where api_key_id = (select id from k) and expires_at <= now()
    for update skip locked
  )
), issued as (
  insert into access_tokens (digest, api_key_id, scope, created_at, expires_at)
  select $3, id, coalesce($4, scope), now(), least(now() + make_interval(secs => $5), expires_at)
  from k where scope = any($6::text[])
  returning scope, expires_at
)
select k.id, issued.scope, floor(extract(epoch from issued.expires_at - now()))::integer as expires_in
from k left join issued on true`;

interface Row {
  id: string;
  /** Null when the key may not have what was asked for. */
  scope: Scope | null;
  expires_in: number | null;
}

/**
 * A bearer token for the holder of an API key (RFC 6749, section 4.4). `unknown_key` is the same answer for a wrong,
 * revoked and expired key and for a suspended owner; `scope_exceeded` for more than the key itself may.
 */
export async function issueAccessToken(
  { pool, config }: Runtime,
  { keyId, key, scope }: TokenRequest,
): Promise<IssuedToken | 'unknown_key' | 'scope_exceeded'> {
  const keyDigest = apiKeyDigest(key);
  if (!keyDigest || !isUuid(keyId)) return 'unknown_key';
  const enough = SCOPES.filter((held) => covers(held, scope ?? held));
  const token = newAccessTokenValue();

  const { rows } = await pool.query<Row>({
    ...named(config, 'issue_access_token'),
    text: ISSUE,
    values: [keyDigest, keyId, accessTokenDigest(token), scope ?? null, LIFE_SECONDS, enough],
  });
  const [row] = rows;
  if (!row) return 'unknown_key';
  if (row.scope === null || row.expires_in === null) return 'scope_exceeded';
  return { keyId: row.id, token, scope: row.scope, expiresIn: row.expires_in };
}
