import type { Cell, Column } from '#cli/render.ts';
import { iso, shortTime } from '#cli/times.ts';
import type { ProviderUsage } from '#src/sso/list-provider-usage.ts';
import type { ProviderEntry } from '#src/sso/provider-source.ts';

/** A provider as lists show it. */
export interface ProviderRow {
  entry: ProviderEntry;
  usage: ProviderUsage | undefined;
  /** The earliest day on which a certificate of the provider ends. */
  certificateExpiresAt: Date | undefined;
}

export const PROVIDER_COLUMNS: Column<ProviderRow>[] = [
  { key: 'name', value: ({ entry }) => entry.name, whole: true },
  { key: 'id', value: ({ entry }) => entry.id, detail: true },
  { key: 'strategy', value: ({ entry }) => entry.strategy },
  { key: 'label', value: ({ entry }) => entry.label },
  { key: 'enabled', value: ({ entry }) => entry.enabled },
  { key: 'usable', value: ({ entry }) => entry.enabled && entry.provider !== undefined, detail: true },
  { key: 'issuer', header: 'ISSUER / SSO URL', value: ({ entry }) => addressOf(entry) },
  {
    key: 'certificate_expires_at',
    header: 'CERT EXPIRES',
    value: ({ certificateExpiresAt }) => iso(certificateExpiresAt ?? null),
    text: ({ certificateExpiresAt }) => iso(certificateExpiresAt ?? null)?.slice(0, 10) ?? '-',
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

function addressOf({ provider }: ProviderEntry): Cell {
  if (!provider) return undefined;
  if (provider.strategy === 'saml') return provider.ssoUrl ?? provider.metadataUrl;
  return provider.strategy === 'openid_connect' ? provider.issuer : provider.authorizationUrl;
}
