import { KEY_IN_FORCE } from '#src/auth/key-in-force.ts';
import { covers, type Scope } from '#src/auth/scope.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Reader, ReadQuery } from '#src/kernel/reader.ts';
import { runStatement, type Statement } from '#src/kernel/statement.ts';
import type { Runtime } from '#src/kernel/work.ts';

/** Folded into the read itself: a separate look-up of the key would cost a quarter of the throughput. */
const BY_KEY = `with k as materialized (
  select api_keys.id as key_id, api_keys.scope, users.family_id
  from api_keys join users on users.id = api_keys.user_id
  where api_keys.digest = $1
    and ${KEY_IN_FORCE}
)`;

/** A token ends with its key, at once and in every process, because the key is looked at again. */
const BY_TOKEN = `with k as materialized (
  select api_keys.id as key_id, access_tokens.scope, users.family_id
  from access_tokens
    join api_keys on api_keys.id = access_tokens.api_key_id
    join users on users.id = api_keys.user_id
  where access_tokens.digest = $1
    and access_tokens.expires_at > now()
    and ${KEY_IN_FORCE}
)`;

const BY_FAMILY = `with k as materialized (
  select null::uuid as key_id, 'read'::text as scope, families.id as family_id from families where families.id = $1
)`;

/** Reads nothing: only whether the reader may. */
export const CHECK_ACCESS: ReadQuery = { name: 'check_access', text: 'select k.key_id, k.scope from k' };

interface AccessRow {
  key_id: string;
  scope: string;
}

interface Proof {
  digest: Buffer;
  needs: Scope;
}

/** Hears the id of every key that was accepted. */
type Used = (keyId: string) => void;

/** Reads what the holder of an API key may see. */
export function keyReader(runtime: Runtime, proof: Proof, used: Used): Reader {
  return accessReader(runtime, 'key', proof, used);
}

/** Reads what the holder of a bearer token may see; what is used is the key that it was issued for. */
export function tokenReader(runtime: Runtime, proof: Proof, used: Used): Reader {
  return accessReader(runtime, 'token', proof, used);
}

function accessReader(runtime: Runtime, by: 'key' | 'token', { digest, needs }: Proof, used: Used): Reader {
  return {
    read: async <Row extends object>(query: ReadQuery, values: readonly (string | number)[]) => {
      const statement = folded(runtime, by, query);
      const rows = await runStatement<Row & AccessRow>(runtime.pool, statement, [digest, ...values]);
      const [access] = rows;
      if (!access) throw unauthorized();
      used(access.key_id);
      if (!covers(access.scope, needs)) throw insufficientScope(needs);
      return rows;
    },
  };
}

/** Reads one family's data for somebody who administers the instance. */
export function familyReader(runtime: Runtime, familyId: string): Reader {
  return {
    read: async <Row extends object>(query: ReadQuery, values: readonly (string | number)[]) => {
      const statement = folded(runtime, 'family', query);
      const rows = await runStatement<Row>(runtime.pool, statement, [familyId, ...values]);
      if (rows.length === 0) throw new AppError('not_found', 'Family not found');
      return rows;
    },
  };
}

/** The same answer for what is missing, malformed, unknown, revoked or expired, and for a suspended owner. */
export function unauthorized(): AppError {
  return new AppError(
    'unauthorized',
    'A valid API key is required in the X-Api-Key header, or a valid access token as "Authorization: Bearer"',
  );
}

function insufficientScope(needed: Scope): AppError {
  return new AppError(
    'insufficient_scope',
    `This operation needs an API key or access token with the scope "${needed}"`,
  );
}

const PROOFS = { key: BY_KEY, token: BY_TOKEN, family: BY_FAMILY };

const statements = new Map<string, Statement>();

function folded(runtime: Runtime, by: keyof typeof PROOFS, { name, text }: ReadQuery): Statement {
  const named = runtime.config.database.namedStatements;
  const cached = statements.get(`${by}:${named}:${name}`);
  if (cached) return cached;

  const statement = { name: named ? `${name}_by_${by}` : '', text: `${PROOFS[by]} ${text}` };
  statements.set(`${by}:${named}:${name}`, statement);
  return statement;
}
