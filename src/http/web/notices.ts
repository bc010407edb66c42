/** What a page says at its top after a redirect. The address carries the name, never the text. */
export const NOTICES = {
  signed_out: 'You are signed out.',
  sign_in_first: 'Sign in to go on.',
  local_login_disabled:
    'Signing in with a password is turned off. Use another way, or ask your administrator.',
} as const;

export type Notice = keyof typeof NOTICES;

export function isNotice(text: unknown): text is Notice {
  return typeof text === 'string' && Object.hasOwn(NOTICES, text);
}
