import type { Config } from '#src/kernel/config.ts';

/** Who may sign in with a password (specification, Settings). */
export type LocalLogin = 'everybody' | 'super_admins' | 'nobody';

export function localLogin({ localLogin: enabled, adminOverride }: Config['auth']): LocalLogin {
  if (enabled) return 'everybody';
  return adminOverride ? 'super_admins' : 'nobody';
}
