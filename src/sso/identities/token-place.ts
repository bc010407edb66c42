import type { Place } from '#src/kernel/cipher.ts';

/** Where an identity keeps a token (`refresh_token`, `id_token`), for the cipher. */
export function tokenPlace(identityId: string, column: string): Place {
  return { table: 'identities', column, row: identityId };
}
