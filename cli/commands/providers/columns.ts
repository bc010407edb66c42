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
    text: expiryText,
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

/** With the days that are left once there are not many. */
function expiryText(row: ProviderRow): string {
  const expiry = expiryOf(row);
  if (expiry === null) return '-';
  const days = Math.floor((new Date(expiry).getTime() - Date.now()) / 86_400_000);
  const left = days < 0 ? ' (ended)' : days <= 30 ? ` (${days} days)` : '';
  return `${expiry.slice(0, 10)}${left}`;
}
