interface Registered {
  id: string;
  name: string;
  strategy: string;
  /** The provider's own setting, for somebody in front of APP_URL. */
  redirectUri?: string | undefined;
}

/** The addresses to register with a provider (specification, Web routes), in the order people need them. */
export function providerUrls(
  { id, name, strategy, redirectUri }: Registered,
  appUrl: string,
): Record<string, string> & { callback_url: string } {
  if (strategy === 'saml') return { ...samlUrls(id, appUrl) };
  const callback = { callback_url: redirectUri ?? `${appUrl}/auth/${name}/callback` };
  if (strategy !== 'openid_connect') return callback;
  return {
    ...callback,
    backchannel_logout_url: `${appUrl}/auth/${name}/backchannel_logout`,
    post_logout_redirect_url: postLogoutRedirectUrl(appUrl),
  };
}

/** Where a provider sends people back after a sign-out (OpenID Connect RP-Initiated Logout 1.0, section 3). */
export function postLogoutRedirectUrl(appUrl: string): string {
  return `${appUrl}/auth/logout/callback`;
}

/** The same for a SAML provider. */
export function samlUrls(id: string, appUrl: string) {
  const entity = `${appUrl}/auth/saml/${id}`;
  return {
    entity_id: entity,
    callback_url: `${entity}/callback`,
    metadata_url: `${entity}/metadata`,
    logout_url: `${entity}/logout`,
  };
}

/** Our entity id at the provider whose answers come to that callback address. */
export function entityIdOf(callbackUrl: string): string {
  return callbackUrl.replace(/\/callback$/, '');
}
