import type { Cell, Column } from '#cli/render.ts';
import { iso, shortTime } from '#cli/times.ts';
import { lastEnd } from '#src/sso/providers/describe-certificate.ts';
import type { ProviderUsage } from '#src/sso/providers/list-provider-usage.ts';
import type { ProviderEntry } from '#src/sso/providers/provider-source.ts';
import type { PartyInUse } from '#src/sso/saml/party-in-use.ts';

/** A provider as lists show it. */
export interface ProviderRow {
  entry: ProviderEntry;
  usage: ProviderUsage | undefined;
  /** What is in use of a SAML provider. */
  party: PartyInUse | undefined;
}

export const PROVIDER_COLUMNS: Column<ProviderRow>[] = [
  { key: 'name', value: ({ entry }) => entry.name, whole: true },
  { key: 'id', value: ({ entry }) => entry.id, detail: true },
  { key: 'strategy', value: ({ entry }) => entry.strategy },
  { key: 'label', value: ({ entry }) => entry.label },
  { key: 'enabled', value: ({ entry }) => entry.enabled },
  { key: 'usable', value: ({ entry }) => entry.enabled && entry.provider !== undefined, detail: true },
  { key: 'issuer', header: 'ISSUER / SSO URL', value: addressOf },
  {
    key: 'certificate_expires_at',
    header: 'CERT EXPIRES',
    value: expiryOf,
    text: (row) => expiryOf(row)?.slice(0, 10) ?? '-',
    whole: true,
  },
  {
    key: 'last_login_at',
    header: 'LAST LOGIN',
    value: ({ usage }) => iso(usage?.lastLoginAt ?? null),
    text: ({ usage }) => shortTime(usage?.lastLoginAt ?? null, 'never'),
  },
  { key: 'users', value: ({ usage }) => usage?.users ?? 0, align: 'right' },
  { key: 'source', value: ({ entry }) => entry.origin, detail: true },
  { key: 'problem', value: ({ entry }) => entry.problem },
];

function addressOf({ entry: { provider }, party }: ProviderRow): Cell {
  if (!provider) return undefined;
  if (provider.strategy === 'saml') return party?.ssoUrl ?? provider.metadataUrl;
  return provider.strategy === 'openid_connect' ? provider.issuer : provider.authorizationUrl;
}

/** Until when the provider's certificates serve. */
function expiryOf({ party }: ProviderRow): string | null {
  return iso(lastEnd(party?.certificates ?? [], new Date()) ?? null);
}
