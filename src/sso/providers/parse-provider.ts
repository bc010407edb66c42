import { FieldReader, type Fields, type Problem } from '#src/sso/providers/field-reader.ts';
import { readCertificate, readCertificates, readPrivateKey } from '#src/sso/providers/parse-certificate.ts';
import { readNameIdFormat } from '#src/sso/providers/parse-name-id-format.ts';
import { readRoleMapping } from '#src/sso/providers/parse-role-mapping.ts';
import { readRedirectUri, readUrl, requireIssuer, requireUrl } from '#src/sso/providers/parse-url.ts';
import {
  type OAuth2Provider,
  type OidcProvider,
  type Provider,
  type SamlProvider,
  STRATEGIES,
  TOKEN_ENDPOINT_AUTH,
} from '#src/sso/providers/provider.ts';
import { SAML_BINDINGS, type SamlBinding } from '#src/sso/saml/saml-party.ts';
import { ROLES } from '#src/users/role.ts';

type Parsed = { provider: Provider; problems?: never } | { provider?: never; problems: Problem[] };

const SLUG = /^[a-z][a-z0-9_-]{0,62}$/;
const RESERVED = ['saml', 'logout', 'failure'];

/**
 * A provider from the fields of a form, a command line, a file or the database (specification, Identity provider
 * configuration; names in snake_case), or everything that is wrong with them.
 */
export function parseProvider(fields: Fields): Parsed {
  const reader = new FieldReader(fields);
  if (reader.value('strategy') === undefined) reader.report('strategy', 'must not be empty');
  const strategy = reader.oneOf('strategy', STRATEGIES, 'openid_connect');
  if (strategy === 'saml') refuseTrust(reader);
  const provider = READERS[strategy](reader, readCommon(reader));
  if (!reader.problems.some(({ field }) => field === 'strategy')) {
    for (const field of reader.unknown()) reader.report(field, `is not a field of ${strategy} providers`);
  }
  return reader.problems.length > 0 ? { problems: reader.problems } : { provider };
}

/** SAML has no word for a verified email: an address counts unless an attribute says that it is not verified. */
function refuseTrust(reader: FieldReader): void {
  if (!reader.flag('trust_email', false)) return;
  reader.report('trust_email', 'is not for saml providers: their emails need no verification; leave it out');
}

type Common = ReturnType<typeof readCommon>;

const READERS = { openid_connect: readOidc, oauth2: readOAuth2, saml: readSaml };

function readCommon(reader: FieldReader) {
  const name = reader.required('name');
  if (name !== '' && !SLUG.test(name)) {
    reader.report(
      'name',
      'must begin with a lower-case letter; letters, digits, _ and - may follow, 63 in all',
    );
  } else if (RESERVED.includes(name)) reader.report('name', `must not be ${RESERVED.join(', ')}`);
  const id = reader.text('id') ?? name;
  if (id !== name && !SLUG.test(id)) reader.report('id', 'must be as a name is');
  return {
    id,
    name,
    label: reader.text('label', 100) ?? titleOf(name),
    enabled: reader.flag('enabled', true),
    defaultRole: reader.oneOf('default_role', ROLES, 'member'),
    trustEmail: reader.flag('trust_email', false),
    groupAttribute: reader.text('group_attribute'),
    roleMapping: readRoleMapping(reader),
  };
}

/** `my-company` → `My company`. */
function titleOf(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

const OIDC_SCOPES = ['openid', 'profile', 'email'];

function readOidc(reader: FieldReader, common: Common): OidcProvider {
  const scopes = readScopes(reader, OIDC_SCOPES);
  if (!scopes.includes('openid')) reader.report('scopes', 'must contain openid');
  return {
    ...common,
    strategy: 'openid_connect',
    issuer: requireIssuer(reader),
    clientId: reader.required('client_id', 500),
    clientSecret: reader.text('client_secret', 2_000),
    redirectUri: readRedirectUri(reader, common.name),
    scopes,
    tokenEndpointAuth: reader.oneOf('token_endpoint_auth', TOKEN_ENDPOINT_AUTH, 'client_secret_post'),
  };
}

function readOAuth2(reader: FieldReader, common: Common): OAuth2Provider {
  const scopes = readScopes(reader, []);
  if (scopes.includes('openid')) {
    reader.report(
      'scopes',
      'must not contain openid: a provider that knows it needs the strategy openid_connect',
    );
  }
  return {
    ...common,
    strategy: 'oauth2',
    authorizationUrl: requireUrl(reader, 'authorization_url'),
    tokenUrl: requireUrl(reader, 'token_url'),
    userInfoUrl: requireUrl(reader, 'userinfo_url'),
    emailsUrl: readUrl(reader, 'emails_url'),
    clientId: reader.required('client_id', 500),
    clientSecret: reader.required('client_secret', 2_000),
    redirectUri: readRedirectUri(reader, common.name),
    scopes,
    tokenEndpointAuth: reader.oneOf('token_endpoint_auth', TOKEN_ENDPOINT_AUTH, 'client_secret_post'),
    attributes: {
      subject: reader.text('subject_attribute') ?? 'id',
      email: reader.text('email_attribute') ?? 'email',
      emailVerified: reader.text('email_verified_attribute'),
      firstName: reader.text('first_name_attribute'),
      lastName: reader.text('last_name_attribute'),
      name: reader.text('name_attribute') ?? 'name',
    },
  };
}

/** RFC 6749, section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

function readScopes(reader: FieldReader, otherwise: readonly string[]): string[] {
  const scopes = reader.words('scopes', otherwise);
  if (!scopes.every((scope) => SCOPE.test(scope)))
    reader.report('scopes', 'hold a character no scope may hold');
  return scopes;
}

function readSaml(reader: FieldReader, common: Common): SamlProvider {
  const metadataUrl = readUrl(reader, 'metadata_url');
  const certificate = readCertificate(reader, 'sp_certificate');
  const decryptionCertificate = readCertificate(reader, 'decryption_certificate');
  const provider: SamlProvider = {
    ...common,
    strategy: 'saml',
    metadataUrl,
    entityId: reader.text('entity_id', 1_024),
    ssoUrl: readUrl(reader, 'sso_url'),
    ssoBinding: readBinding(reader, 'sso_binding'),
    certificates: readCertificates(reader, 'certificate'),
    logoutUrl: readUrl(reader, 'logout_url'),
    logoutBinding: readBinding(reader, 'logout_binding'),
    logoutResponseUrl: readUrl(reader, 'logout_response_url'),
    nameIdFormat: readNameIdFormat(reader),
    attributes: {
      email: reader.text('email_attribute'),
      firstName: reader.text('first_name_attribute'),
      lastName: reader.text('last_name_attribute'),
    },
    signRequests: reader.flag('sign_requests', false),
    privateKey: readPrivateKey(reader, 'private_key', certificate),
    certificate,
    decryptionKey: readPrivateKey(reader, 'decryption_key', decryptionCertificate),
    decryptionCertificate,
    requireEncryptedAssertions: reader.flag('require_encrypted_assertions', false),
    allowIdpInitiated: reader.flag('allow_idp_initiated', false),
    allowSha1: reader.flag('allow_sha1', false),
  };
  requireParty(reader);
  requirePairs(reader, provider);
  return provider;
}

function readBinding(reader: FieldReader, field: string): SamlBinding | undefined {
  return reader.value(field) === undefined ? undefined : reader.oneOf(field, SAML_BINDINGS, 'redirect');
}

/** Without metadata everything has to be said. */
function requireParty(reader: FieldReader): void {
  if (reader.value('metadata_url') !== undefined) return;
  for (const field of ['entity_id', 'sso_url', 'certificate']) {
    if (reader.value(field) === undefined) reader.report(field, 'must not be empty without metadata_url');
  }
}

function requirePairs(reader: FieldReader, provider: SamlProvider): void {
  const has = (field: string) => reader.value(field) !== undefined;
  if (provider.signRequests && !has('private_key')) {
    reader.report('private_key', 'must not be empty while requests are signed');
  }
  if (provider.requireEncryptedAssertions && !has('decryption_key')) {
    reader.report('decryption_key', 'must not be empty while encrypted assertions are required');
  }
  if (has('private_key') !== has('sp_certificate')) {
    reader.report('sp_certificate', 'and private_key belong together: give both or none');
  }
  if (has('decryption_key') !== has('decryption_certificate')) {
    reader.report('decryption_certificate', 'and decryption_key belong together: give both or none');
  }
}
