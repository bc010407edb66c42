import type { Fields } from '#src/sso/providers/field-reader.ts';
import type {
  OAuth2Provider,
  OidcProvider,
  Provider,
  RoleMapping,
  SamlProvider,
} from '#src/sso/providers/provider.ts';

/** Fields that are stored encrypted and never shown. */
const SECRET_FIELDS = ['client_secret', 'private_key', 'decryption_key'] as const;

/** The fields `parseProvider` makes this provider of, secrets included; what is empty or off is left out. */
export function fieldsOf(provider: Provider): Record<string, unknown> {
  const { id, name, label, enabled, strategy, defaultRole, trustEmail, groupAttribute, roleMapping } =
    provider;
  const fields: Record<string, unknown> = {
    id,
    strategy,
    name,
    label,
    enabled,
    ...ownFields(provider),
    default_role: defaultRole,
    trust_email: trustEmail || undefined,
    group_attribute: groupAttribute,
    role_mapping: mappingFields(roleMapping),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Fields whose change is checked with the provider before it is saved (decisions, section 3, Discovery). */
export const ASKED_FOR = ['issuer', 'metadata_url'];

/** The names of the fields in which two providers differ. Secrets are compared, not told. */
export function changedFields(before: Fields, after: Fields): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter((name) => canonical(before[name]) !== canonical(after[name]));
}

export function isSecretField(name: string): boolean {
  return SECRET_FIELDS.some((secret) => secret === name);
}

function ownFields(provider: Provider): Record<string, unknown> {
  if (provider.strategy === 'openid_connect') return oidcFields(provider);
  return provider.strategy === 'oauth2' ? oauth2Fields(provider) : samlFields(provider);
}

function oidcFields(provider: OidcProvider): Record<string, unknown> {
  return {
    issuer: provider.issuer,
    client_id: provider.clientId,
    client_secret: provider.clientSecret,
    redirect_uri: provider.redirectUri,
    scopes: provider.scopes.join(' '),
    token_endpoint_auth: provider.tokenEndpointAuth,
  };
}

function oauth2Fields({ attributes, ...provider }: OAuth2Provider): Record<string, unknown> {
  return {
    authorization_url: provider.authorizationUrl,
    token_url: provider.tokenUrl,
    userinfo_url: provider.userInfoUrl,
    emails_url: provider.emailsUrl,
    client_id: provider.clientId,
    client_secret: provider.clientSecret,
    redirect_uri: provider.redirectUri,
    scopes: provider.scopes.join(' ') || undefined,
    token_endpoint_auth: provider.tokenEndpointAuth,
    subject_attribute: attributes.subject,
    email_attribute: attributes.email,
    email_verified_attribute: attributes.emailVerified,
    first_name_attribute: attributes.firstName,
    last_name_attribute: attributes.lastName,
    name_attribute: attributes.name,
  };
}

function samlFields(provider: SamlProvider): Record<string, unknown> {
  return {
    metadata_url: provider.metadataUrl,
    entity_id: provider.entityId,
    sso_url: provider.ssoUrl,
    sso_binding: provider.ssoBinding,
    certificate: provider.certificates.join('') || undefined,
    logout_url: provider.logoutUrl,
    logout_binding: provider.logoutBinding,
    logout_response_url: provider.logoutResponseUrl,
    name_id_format: provider.nameIdFormat,
    email_attribute: provider.attributes.email,
    first_name_attribute: provider.attributes.firstName,
    last_name_attribute: provider.attributes.lastName,
    sign_requests: provider.signRequests || undefined,
    private_key: provider.privateKey,
    sp_certificate: provider.certificate,
    decryption_key: provider.decryptionKey,
    decryption_certificate: provider.decryptionCertificate,
    require_encrypted_assertions: provider.requireEncryptedAssertions || undefined,
    allow_idp_initiated: provider.allowIdpInitiated || undefined,
    allow_sha1: provider.allowSha1 || undefined,
  };
}

function mappingFields({ mappings, conditions, hierarchy, customMappings }: RoleMapping): object | undefined {
  const fields = {
    ...(mappings.length > 0 && { mappings }),
    ...(conditions.length > 0 && { conditions }),
    ...(Object.keys(hierarchy).length > 0 && { hierarchy }),
    ...(Object.keys(customMappings).length > 0 && { custom_mappings: customMappings }),
  };
  return Object.keys(fields).length > 0 ? fields : undefined;
}

/** The same text for the same value, whatever the order of its keys: the database does not keep it. */
function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
