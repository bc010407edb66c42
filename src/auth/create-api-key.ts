import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { ApiKey } from '#src/auth/api-key.entity.ts';
import { apiKeyDigest, newApiKeyValue } from '#src/auth/api-key-value.ts';
import { SCOPES } from '#src/auth/scope.ts';
import { AppError, invalid } from '#src/kernel/errors.ts';
import { requireOneOf, requireText } from '#src/kernel/text.ts';
import type { Work } from '#src/kernel/work.ts';

export interface NewApiKey {
  userId: string;
  /** Unique among the user's active keys. */
  name: string;
  scope: string;
  /** Default: never. */
  expiresAt?: Date | undefined;
}

/** `key` is the only time the key itself is seen; what is stored cannot give it back. */
export async function createApiKey(
  work: Work,
  { userId, expiresAt, ...wanted }: NewApiKey,
): Promise<{ apiKey: ApiKey; key: string }> {
  const name = requireText('the key name', wanted.name, 100);
  // A form that is sent twice at once makes one key: the second waits, and then finds the name taken.
  const owner = await work.sql(
    'select 1 as one from users where id = $1 and suspended_at is null for no key update',
    [userId],
  );
  if (owner.length === 0) throw new AppError('conflict', 'The owner of the key is suspended or gone');
  if ((await work.em.count(ApiKey, { userId, name, revokedAt: null })) > 0) {
    throw invalid(
      [`there is already an active key named "${name}"`],
      'Choose another name, or revoke that key first.',
    );
  }
  if (expiresAt && expiresAt <= work.now()) throw invalid(['the expiry must lie in the future']);

  const key = newApiKeyValue();
  const apiKey = work.em.create(ApiKey, {
    userId,
    name,
    scope: requireOneOf('the scope', wanted.scope, SCOPES),
    digest: digestOf(key),
    firstCharacters: key.slice(0, 8),
    lastCharacters: key.slice(-4),
    expiresAt: expiresAt ?? null,
  });
  recordAuditEvent(work, 'api_key_created', {
    userId,
    metadata: { api_key_id: apiKey.id, name, scope: apiKey.scope },
  });
  await work.em.flush();
  return { apiKey, key };
}

function digestOf(key: string): Buffer {
  const digest = apiKeyDigest(key);
  if (!digest) throw new Error('a new key must have the shape of one');
  return digest;
}
