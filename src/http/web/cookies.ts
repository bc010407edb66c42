import type { Config } from '#src/kernel/config.ts';

/** What every cookie of ours has. Behind https the `__Host-` prefix keeps other hosts and plain http from setting it. */
export function cookieSettings({ http }: Config, name: string) {
  const secure = http.appUrl.startsWith('https:');
  return {
    key: `${secure ? '__Host-' : ''}finance.${name}`,
    httpOnly: true,
    sameSite: 'lax',
    secure,
    path: '/',
  } as const;
}
