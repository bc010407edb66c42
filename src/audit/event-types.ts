/** Specification, Events, and decisions, section 4: the types that something records today, and `user_invited`. */
export const EVENT_TYPES = [
  'login',
  'login_failed',
  'logout',
  'user_invited',
  'user_created',
  'user_suspended',
  'user_reactivated',
  'user_deleted',
  'role_changed',
  'password_changed',
  'api_key_created',
  'api_key_revoked',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];
