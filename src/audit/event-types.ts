/** Decisions, section 4: the types of audit events that something records today. */
export const EVENT_TYPES = [
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
