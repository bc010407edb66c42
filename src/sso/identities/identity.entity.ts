import { defineEntity, p } from '@mikro-orm/core';
import { id } from '#src/kernel/columns.ts';
import type { NameIdKind } from '#src/sso/connector.ts';

const IdentitySchema = defineEntity({
  name: 'Identity',
  tableName: 'identities',
  properties: {
    id,
    userId: p.uuid(),
    /** The id of the provider, which never changes; not its name. */
    provider: p.text(),
    subject: p.text(),
    /** Of the ID token at the time of linking; a later sign-in must carry the same. */
    issuer: p.text().nullable(),
    email: p.text().nullable(),
    groups: p.json<string[]>(),
    attributes: p.json<Record<string, unknown>>(),
    /** Encrypted. */
    refreshToken: p.text().nullable().lazy().hidden(),
    /** Encrypted. */
    idToken: p.text().nullable().lazy().hidden(),
    /** How SAML names the person beside the subject, for single logout. */
    nameId: p.json<NameIdKind>().nullable(),
    createdAt: p.datetime(),
    lastUsedAt: p.datetime().nullable(),
  },
});

/** Who a user is at an identity provider: provider and subject, and nothing else, make it one. */
export class Identity extends IdentitySchema.class {}
IdentitySchema.setClass(Identity);
