import { defineEntity, p } from '@mikro-orm/core';
import { timestamps } from '#src/kernel/columns.ts';
import { STRATEGIES } from '#src/sso/providers/provider.ts';

const StoredProviderSchema = defineEntity({
  name: 'StoredProvider',
  tableName: 'sso_providers',
  properties: {
    id: p.text().primary(),
    name: p.text(),
    strategy: p.enum(STRATEGIES),
    label: p.text(),
    enabled: p.boolean(),
    /** Every other field but secrets, under the names people use. */
    settings: p.json<Record<string, unknown>>(),
    /** Name of the secret → its value, encrypted. */
    secrets: p.json<Record<string, string>>().hidden(),
    /** Grows with every change, so that a change made from an old view of it is noticed. */
    version: p.integer().version(),
    ...timestamps,
  },
});

/** An identity provider in the database. */
export class StoredProvider extends StoredProviderSchema.class {}
StoredProviderSchema.setClass(StoredProvider);
