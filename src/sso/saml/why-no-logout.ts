import type { SamlProvider } from '#src/sso/providers/provider.ts';

/** What is missing for sessions to end at both sides, in words that follow "Single logout"; undefined when nothing is. */
export function whyNoLogout(
  { privateKey }: Pick<SamlProvider, 'privateKey'>,
  logoutUrl: string | undefined,
): string | undefined {
  const missing = [
    ...(privateKey === undefined ? ['a key'] : []),
    ...(logoutUrl === undefined ? ['a logout URL'] : []),
  ];
  return missing.length > 0 ? `needs ${missing.join(' and ')}` : undefined;
}
