import type { Fields } from '#src/sso/providers/field-reader.ts';
import type { Provider } from '#src/sso/providers/provider.ts';

/** A well-known provider: what is the same for everybody, and what only its operator knows. */
export interface Preset {
  title: string;
  strategy: Provider['strategy'];
  fields: Fields;
  /** What must be filled in beside client id and secret, with an example. */
  issuerExample?: string;
  /** The shape of the metadata URL, for SAML. */
  metadataExample?: string;
  /** Where it is set up, and where client id and secret come from. */
  console: string;
  /** What one must know, in a sentence. */
  note?: string;
}

export const PRESETS: Readonly<Record<string, Preset>> = {
  google: {
    title: 'Google',
    strategy: 'openid_connect',
    fields: { issuer: 'https://accounts.google.com' },
    console: 'console.cloud.google.com: APIs & Services, Credentials, OAuth client ID, Web application',
    note: 'Google sends no groups, so roles cannot be mapped from them.',
  },
  github: {
    title: 'GitHub',
    strategy: 'oauth2',
    fields: {
      authorization_url: 'https://github.com/login/oauth/authorize',
      token_url: 'https://github.com/login/oauth/access_token',
      userinfo_url: 'https://api.github.com/user',
      emails_url: 'https://api.github.com/user/emails',
      scopes: 'read:user user:email',
      subject_attribute: 'id',
      email_attribute: 'email',
      name_attribute: 'name',
    },
    console: 'github.com: Settings, Developer settings, OAuth Apps',
    note: 'GitHub sends no groups, so roles cannot be mapped from them.',
  },
  keycloak: {
    title: 'Keycloak',
    strategy: 'openid_connect',
    fields: {},
    issuerExample: 'https://keycloak.example.com/realms/main',
    console: 'Keycloak: the realm, Clients, Create client, OpenID Connect, Client authentication on',
    note: 'For groups add a mapper "Group Membership" with the claim name groups to the client.',
  },
  authentik: {
    title: 'authentik',
    strategy: 'openid_connect',
    fields: {},
    issuerExample: 'https://authentik.example.com/application/o/finance/',
    console: 'authentik: Applications, Providers, Create, OAuth2/OpenID Provider',
    note: 'The issuer ends in a slash. Groups are part of the profile scope.',
  },
  entra: {
    title: 'Microsoft',
    strategy: 'openid_connect',
    fields: { trust_email: true },
    issuerExample: 'https://login.microsoftonline.com/TENANT-ID/v2.0',
    console: 'entra.microsoft.com: App registrations, New registration, Web',
    note: 'One tenant only, never "common". Entra never says whether an email is verified, so the tenant is trusted; groups arrive as object ids.',
  },
  okta: {
    title: 'Okta',
    strategy: 'openid_connect',
    fields: {},
    issuerExample: 'https://example.okta.com',
    console: 'Okta: Applications, Create App Integration, OIDC, Web Application',
    note: 'For groups add a groups claim to the application and "groups" to the scopes.',
  },
  gitlab: {
    title: 'GitLab',
    strategy: 'openid_connect',
    fields: { issuer: 'https://gitlab.com' },
    console: 'GitLab: Applications, with the scopes openid, profile and email',
    note: 'For a GitLab of your own give its address as the issuer.',
  },
  auth0: {
    title: 'Auth0',
    strategy: 'openid_connect',
    fields: {},
    issuerExample: 'https://example.eu.auth0.com/',
    console: 'Auth0: Applications, Create Application, Regular Web Application',
    note: 'The issuer ends in a slash.',
  },
  keycloak_saml: {
    title: 'Keycloak (SAML)',
    strategy: 'saml',
    fields: { label: 'Sign in with Keycloak' },
    metadataExample: 'https://keycloak.example.com/realms/main/protocol/saml/descriptor',
    console: 'Keycloak: the realm, Clients, Create client, SAML; the client ID is our entity ID',
    note: 'Name ID format email, "Client signature required" off unless requests are signed. For groups add a mapper "Group list".',
  },
  okta_saml: {
    title: 'Okta (SAML)',
    strategy: 'saml',
    fields: { label: 'Sign in with Okta' },
    metadataExample: 'https://example.okta.com/app/APP-ID/sso/saml/metadata',
    console: 'Okta: Applications, Create App Integration, SAML 2.0',
    note: 'Audience is our entity ID, Name ID format EmailAddress. For groups add a group attribute statement named groups.',
  },
  entra_saml: {
    title: 'Microsoft (SAML)',
    strategy: 'saml',
    fields: { label: 'Sign in with Microsoft' },
    metadataExample:
      'https://login.microsoftonline.com/TENANT-ID/federationmetadata/2007-06/federationmetadata.xml?appid=APP-ID',
    console: 'entra.microsoft.com: Enterprise applications, New application, Single sign-on, SAML',
    note: 'Groups arrive as object ids once a group claim is added.',
  },
};

/** The fields of a preset, its name and label among them; undefined when there is none of this name. */
export function presetFields(name: string): Fields | undefined {
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  return (
    preset && { strategy: preset.strategy, name, label: `Sign in with ${preset.title}`, ...preset.fields }
  );
}
