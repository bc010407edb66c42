import { defineEntity, p } from '@mikro-orm/core';
import { SCOPES } from '#src/auth/scope.ts';
import { id } from '#src/kernel/columns.ts';

const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    id,
    userId: p.uuid(),
    name: p.text(),
    scope: p.enum(SCOPES),
    /** SHA-256 of the key; the key itself is shown once and kept nowhere. */
    digest: p.blob().lazy().hidden(),
    firstCharacters: p.text(),
    lastCharacters: p.text(),
    expiresAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

export class ApiKey extends ApiKeySchema.class {
  revoke(at: Date): void {
    this.revokedAt = at;
  }
}
ApiKeySchema.setClass(ApiKey);
