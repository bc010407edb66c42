/** Specification, Events, and decisions, section 4: the types that something records today, and some of our own. */
export const EVENT_TYPES = [
  'login',
  'login_failed',
  'logout',
  'user_invited',
  'invitation_withdrawn',
  'user_created',
  'user_suspended',
  'user_reactivated',
  'user_deleted',
  'role_changed',
  'password_changed',
  'password_reset_requested',
  'api_key_created',
  'api_key_revoked',
  'audit_exported',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];
