import { ApiKey } from '#src/auth/api-key.entity.ts';
import { AppError } from '#src/kernel/errors.ts';
import { isUuid } from '#src/kernel/uuid.ts';
import type { Work } from '#src/kernel/work.ts';

/** Takes effect at once in every process. Revoking a revoked key changes nothing. */
export async function revokeApiKey(work: Work, { id }: { id: string }): Promise<ApiKey> {
  const apiKey = isUuid(id) ? await work.em.findOne(ApiKey, { id }) : null;
  if (!apiKey) {
    throw new AppError('not_found', `No API key has the id "${id}"`, {
      hint: 'financectl api-keys list shows them all.',
    });
  }
  apiKey.revoke(work.now());
  await work.em.flush();
  return apiKey;
}
