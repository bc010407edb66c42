import { recordAuditEvent } from '#src/audit/record-audit-event.ts';
import { ApiKey } from '#src/auth/api-key.entity.ts';
import { AppError } from '#src/kernel/errors.ts';
import { isUuid } from '#src/kernel/uuid.ts';
import type { Work } from '#src/kernel/work.ts';

export interface RevokedApiKey {
  id: string;
  /** Whose key it must be; default: anybody's. */
  userId?: string | undefined;
}

/** Takes effect at once in every process. Revoking a revoked key changes nothing. */
export async function revokeApiKey(work: Work, { id, userId }: RevokedApiKey): Promise<ApiKey> {
  const wanted = userId === undefined ? { id } : { id, userId };
  const apiKey = isUuid(id) ? await work.em.findOne(ApiKey, wanted) : null;
  if (!apiKey) {
    throw new AppError('not_found', `No API key has the id "${id}"`, {
      hint: 'financectl api-keys list shows them all.',
    });
  }
  if (apiKey.revokedAt) return apiKey;
  apiKey.revoke(work.now());
  recordAuditEvent(work, 'api_key_revoked', {
    userId: apiKey.userId,
    metadata: { api_key_id: apiKey.id, name: apiKey.name },
  });
  await work.em.flush();
  return apiKey;
}
