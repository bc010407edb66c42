/** What a page says at its top after a redirect. The address carries the name, never the text. */
export const NOTICES = {
  signed_out: 'You are signed out.',
  signed_out_here:
    'You are signed out here, but the identity provider did not confirm that you are signed out there.',
  sign_in_first: 'Sign in to go on.',
  link_expired: 'That sign-in has been finished or has expired. Begin again.',
  local_login_disabled:
    'Signing in with a password is turned off. Use another way, or ask your administrator.',
  password_changed: 'Your password is changed. You are signed out everywhere else.',
  password_reset: 'Your new password is saved. Sign in with it.',
  session_ended: 'The session is ended.',
  other_sessions_ended: 'You are signed out everywhere else.',
  api_key_revoked: 'The key is revoked. Programs that use it are refused.',
  account_connected: 'The account is connected. You can sign in with it from now on.',
  account_disconnected: 'The account is disconnected. It does not open this one any more.',
  user_suspended: 'The user is suspended, and signed out everywhere.',
  user_reactivated: 'The user is active again.',
  user_signed_out: 'The user is signed out everywhere.',
  user_deleted: 'The user is deleted.',
  role_saved: 'The role is saved.',
  user_invited: 'The invitation is on its way by mail.',
  invitation_withdrawn: 'The invitation is withdrawn. Its link opens nothing any more.',
  provider_created: 'The provider is added. Register the callback address with it, then test it.',
  provider_saved: 'The provider is saved. It holds from the next request on.',
  metadata_refreshed: 'The metadata is read. What it says holds from now on.',
  key_made: 'The key is made. Give the provider our metadata again, or the certificate below.',
  provider_enabled: 'The provider is on the login page.',
  provider_disabled: 'The provider is hidden. Sign-ins under way fail too; sessions go on.',
  provider_deleted: 'The provider is deleted.',
  identity_unblocked: 'The identity may sign in again.',
  user_disconnected: 'The account is disconnected.',
} as const;

export type Notice = keyof typeof NOTICES;

export function isNotice(text: unknown): text is Notice {
  return typeof text === 'string' && Object.hasOwn(NOTICES, text);
}
