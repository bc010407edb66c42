import { randomUUID } from 'node:crypto';
import { tokenPlace } from '#src/sso/identities/token-place.ts';
import type { Harness } from '#test/support/database.ts';

interface GivenIdentity {
  userId: string;
  provider?: string;
  subject?: string;
  issuer?: string | null;
  groups?: string[];
  attributes?: object;
  refreshToken?: string;
}

/** An account of somebody at a provider, last used on 2 January 2026; answers with its id. */
export async function givenIdentity(harness: Harness, identity: GivenIdentity): Promise<string> {
  const id = randomUUID();
  const { userId, provider = 'okta', subject = `subject-${id}`, issuer = null, refreshToken } = identity;
  const { groups = [], attributes = {} } = identity;
  const sealed = refreshToken && harness.runtime.cipher.seal(refreshToken, tokenPlace(id, 'refresh_token'));
  await harness.query(
    `insert into identities
       (id, user_id, provider, subject, issuer, groups, attributes, refresh_token, created_at, last_used_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, '2026-01-01T00:00:00Z', '2026-01-02T03:04:05Z')`,
    [id, userId, provider, subject, issuer, JSON.stringify(groups), attributes, sealed ?? null],
  );
  return id;
}
