/**
 * Tables whose rows are not kept: nobody misses them after a restore, and some would be dangerous. A session, a bearer
 * token or a reset link that has been ended or used since the backup would be good again. Used assertions and
 * invitations are kept: the first must stay used, the second are meant to last for days.
 */
export const LEFT_OUT: readonly string[] = [
  'access_tokens',
  'password_resets',
  'pending_logins',
  'rate_limits',
  'sessions',
];
