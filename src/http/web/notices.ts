/** What a page says at its top after a redirect. The address carries the name, never the text. */
export const NOTICES = {
  signed_out: 'You are signed out.',
  sign_in_first: 'Sign in to go on.',
  local_login_disabled:
    'Signing in with a password is turned off. Use another way, or ask your administrator.',
  password_changed: 'Your password is changed. You are signed out everywhere else.',
  password_reset: 'Your new password is saved. Sign in with it.',
  session_ended: 'The session is ended.',
  other_sessions_ended: 'You are signed out everywhere else.',
  api_key_revoked: 'The key is revoked. Programs that use it are refused.',
  user_suspended: 'The user is suspended, and signed out everywhere.',
  user_reactivated: 'The user is active again.',
  user_signed_out: 'The user is signed out everywhere.',
  user_deleted: 'The user is deleted.',
  role_saved: 'The role is saved.',
  user_invited: 'The invitation is on its way by mail.',
  invitation_withdrawn: 'The invitation is withdrawn. Its link opens nothing any more.',
} as const;

export type Notice = keyof typeof NOTICES;

export function isNotice(text: unknown): text is Notice {
  return typeof text === 'string' && Object.hasOwn(NOTICES, text);
}
