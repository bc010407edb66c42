/** Where an invitation is accepted; `appUrl` is the only origin links are made of. */
export function invitationLink(appUrl: string, token: string): string {
  return `${appUrl}/invitation?token=${token}`;
}

/** Where a new password is chosen. */
export function passwordResetLink(appUrl: string, token: string): string {
  return `${appUrl}/password_reset/confirm?token=${token}`;
}
