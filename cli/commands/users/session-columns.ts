import type { Column } from '#cli/render.ts';
import { iso, shortTime } from '#cli/times.ts';
import type { SessionRow } from '#src/auth/list-sessions.ts';

export const SESSION_COLUMNS: Column<SessionRow & { email: string }>[] = [
  { key: 'email', header: 'USER', value: ({ email }) => email },
  { key: 'ip_address', header: 'ADDRESS', value: ({ ipAddress }) => ipAddress },
  { key: 'user_agent', header: 'BROWSER', value: ({ userAgent }) => userAgent },
  { key: 'provider', value: ({ provider }) => provider, detail: true },
  {
    key: 'created_at',
    header: 'SIGNED IN',
    value: ({ createdAt }) => iso(createdAt),
    text: ({ createdAt }) => shortTime(createdAt),
  },
  {
    key: 'last_seen_at',
    header: 'LAST SEEN',
    value: ({ lastSeenAt }) => iso(lastSeenAt),
    text: ({ lastSeenAt }) => shortTime(lastSeenAt),
  },
  {
    key: 'expires_at',
    header: 'ENDS',
    value: ({ expiresAt }) => iso(expiresAt),
    text: ({ expiresAt }) => shortTime(expiresAt),
  },
  { key: 'id', value: ({ id }) => id, detail: true },
];
