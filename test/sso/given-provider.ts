import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProvider } from '#src/sso/providers/create-provider.ts';
import type { Provider } from '#src/sso/providers/provider.ts';
import type { Harness } from '#test/support/database.ts';

/** Must never be seen outside the database. */
export const MARKER = 'planted-secret-marker-7f3a';

export const OIDC = {
  strategy: 'openid_connect',
  name: 'okta',
  label: 'Company login',
  issuer: 'https://example.okta.com',
  client_id: 'finance',
  client_secret: MARKER,
};

export const OAUTH2 = {
  strategy: 'oauth2',
  name: 'github',
  authorization_url: 'https://github.com/login/oauth/authorize',
  token_url: 'https://github.com/login/oauth/access_token',
  userinfo_url: 'https://api.github.com/user',
  client_id: 'finance',
  client_secret: MARKER,
};

/** A certificate or key of test/fixtures/certificates. */
export function fixture(name: string): string {
  return readFileSync(join(import.meta.dirname, '../fixtures/certificates', name), 'utf8');
}

export const SAML = {
  strategy: 'saml',
  name: 'adfs',
  sso_url: 'https://adfs.example.com/sso',
  entity_id: 'urn:adfs',
  certificate: fixture('strong.crt'),
};

export async function givenProvider(
  harness: Harness,
  fields: Record<string, unknown> = {},
): Promise<Provider> {
  return harness.perform((work) => createProvider(work, { ...OIDC, ...fields }));
}
