interface Registered {
  id: string;
  name: string;
  isSaml: boolean;
  /** The provider's own setting, for somebody in front of APP_URL. */
  redirectUri?: string | undefined;
}

/** The addresses to register with a provider (specification, Web routes), in the order people need them. */
export function providerUrls(
  { id, name, isSaml, redirectUri }: Registered,
  appUrl: string,
): Record<string, string> & { callback_url: string } {
  if (!isSaml) return { callback_url: redirectUri ?? `${appUrl}/auth/${name}/callback` };
  return { ...samlUrls(id, appUrl) };
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
