import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '#cli/errors.ts';
import { LASTING_FORMATS } from '#src/sso/providers/parse-name-id-format.ts';
import { STRATEGIES, TOKEN_ENDPOINT_AUTH } from '#src/sso/providers/provider.ts';
import { SAML_BINDINGS } from '#src/sso/saml/saml-party.ts';
import { ROLES } from '#src/users/role.ts';

interface FieldOption {
  flags: string;
  field: string;
  about: string;
  /** The value is a file that holds the field. */
  isFile?: true;
  /** The file holds a secret. */
  isSecret?: true;
  choices?: readonly string[];
}

/** Flags that are one field each; the rest of the flags say more than one thing. */
export const FIELD_OPTIONS: readonly FieldOption[] = [
  { flags: '--label <text>', field: 'label', about: 'the text of the sign-in button' },
  {
    flags: '--issuer <url>',
    field: 'issuer',
    about: 'OpenID Connect: the issuer, exactly as the provider writes it',
  },
  { flags: '--client-id <id>', field: 'client_id', about: 'what the provider calls this service' },
  {
    flags: '--client-secret-file <file>',
    field: 'client_secret',
    about: 'the client secret',
    isFile: true,
    isSecret: true,
  },
  { flags: '--scopes <scopes>', field: 'scopes', about: 'separated by blanks; default openid profile email' },
  {
    flags: '--token-auth <method>',
    field: 'token_endpoint_auth',
    about: 'how client id and secret are sent',
    choices: TOKEN_ENDPOINT_AUTH,
  },
  {
    flags: '--redirect-uri <url>',
    field: 'redirect_uri',
    about: 'the callback, when APP_URL does not give it',
  },
  {
    flags: '--authorization-url <url>',
    field: 'authorization_url',
    about: 'OAuth 2.0: where people are sent',
  },
  { flags: '--token-url <url>', field: 'token_url', about: 'OAuth 2.0: the token endpoint' },
  { flags: '--userinfo-url <url>', field: 'userinfo_url', about: 'OAuth 2.0: says who signed in' },
  {
    flags: '--emails-url <url>',
    field: 'emails_url',
    about: 'OAuth 2.0: says which emails are verified (GitHub)',
  },
  { flags: '--subject-attribute <path>', field: 'subject_attribute', about: 'OAuth 2.0: default id' },
  {
    flags: '--email-attribute <path>',
    field: 'email_attribute',
    about: 'OAuth 2.0: default email; SAML: before the usual names',
  },
  { flags: '--email-verified-attribute <path>', field: 'email_verified_attribute', about: 'OAuth 2.0' },
  {
    flags: '--first-name-attribute <path>',
    field: 'first_name_attribute',
    about: 'OAuth 2.0; SAML: before the usual names',
  },
  {
    flags: '--last-name-attribute <path>',
    field: 'last_name_attribute',
    about: 'OAuth 2.0; SAML: before the usual names',
  },
  {
    flags: '--name-attribute <path>',
    field: 'name_attribute',
    about: 'OAuth 2.0: the whole name; default name',
  },
  {
    flags: '--metadata-url <url>',
    field: 'metadata_url',
    about:
      "SAML: the provider's metadata; fills whatever of the following is not given, and is read again by itself",
  },
  { flags: '--sso-url <url>', field: 'sso_url', about: 'SAML: where people are sent' },
  { flags: '--sso-binding <binding>', field: 'sso_binding', about: 'SAML', choices: SAML_BINDINGS },
  { flags: '--entity-id <id>', field: 'entity_id', about: "SAML: the provider's entity id" },
  {
    flags: '--certificate-file <file>',
    field: 'certificate',
    about: "SAML: the provider's certificates, PEM, one or several",
    isFile: true,
  },
  { flags: '--logout-url <url>', field: 'logout_url', about: "SAML: the provider's logout address" },
  { flags: '--logout-binding <binding>', field: 'logout_binding', about: 'SAML', choices: SAML_BINDINGS },
  {
    flags: '--logout-response-url <url>',
    field: 'logout_response_url',
    about: 'SAML: where answers to its logout requests go, when that is another address',
  },
  {
    flags: '--name-id-format <format>',
    field: 'name_id_format',
    about: `SAML: ${Object.keys(LASTING_FORMATS).join(', ')} or another URI; default as the metadata offers, else emailAddress`,
  },
  {
    flags: '--private-key-file <file>',
    field: 'private_key',
    about: 'SAML: signs requests',
    isFile: true,
    isSecret: true,
  },
  {
    flags: '--sp-certificate-file <file>',
    field: 'sp_certificate',
    about: 'SAML: belongs to that key',
    isFile: true,
  },
  {
    flags: '--decryption-key-file <file>',
    field: 'decryption_key',
    about: 'SAML: decrypts assertions',
    isFile: true,
    isSecret: true,
  },
  {
    flags: '--decryption-certificate-file <file>',
    field: 'decryption_certificate',
    about: 'SAML: belongs to that key',
    isFile: true,
  },
  { flags: '--sign-requests', field: 'sign_requests', about: 'SAML: sign what is sent' },
  {
    flags: '--require-encrypted-assertions',
    field: 'require_encrypted_assertions',
    about: 'SAML: refuse assertions that are not encrypted',
  },
  {
    flags: '--allow-idp-initiated',
    field: 'allow_idp_initiated',
    about: 'SAML: accept sign-ins nobody started here',
  },
  { flags: '--allow-sha1', field: 'allow_sha1', about: 'SAML: accept signatures with SHA-1' },
  {
    flags: '--group-attribute <name>',
    field: 'group_attribute',
    about: 'carries groups; default: the usual names',
  },
  {
    flags: '--default-role <role>',
    field: 'default_role',
    about: 'of accounts the first sign-in makes; default member',
    choices: ROLES,
  },
  {
    flags: '--trust-email',
    field: 'trust_email',
    about: 'OpenID Connect: take emails for verified although the provider never says so',
  },
];

/** What the other flags give. */
export interface SharedOptions {
  clientSecretStdin?: true;
  clientSecret?: string | true;
  map?: [group: string, role: string][];
  mappingsFile?: string;
  metadataFile?: string;
  skipVerify?: true;
  file?: string;
}

/** The flags that `create` and `update` share. */
export function fieldOptions(command: Command): Command {
  for (const { flags, about, choices } of FIELD_OPTIONS) {
    const option = new Option(flags, about);
    command.addOption(choices ? option.choices(choices) : option);
  }
  return command
    .option('--file <file>', 'fields from YAML or JSON, named as in config/auth.yml; - is standard input')
    .addOption(
      new Option(
        '--metadata-file <file>',
        "SAML: takes all of it from the provider's metadata in this file instead; - is standard input",
      ).conflicts('metadataUrl'),
    )
    .option('--client-secret-stdin', 'read the client secret from standard input')
    .addOption(new Option('--client-secret [value]').hideHelp())
    .option('--map <group=role>', 'members of the group get the role; may be repeated', groupRole)
    .option(
      '--mappings-file <file>',
      'the whole role mapping as YAML or JSON: mappings, conditions, hierarchy, custom_mappings',
    )
    .option('--skip-verify', 'do not ask the provider for its issuer or metadata first');
}

export function strategyOption(): Option {
  return new Option('--strategy <strategy>', 'the protocol').choices(STRATEGIES);
}

/** What stands in a command line is there for every process to read. */
export function refuseSecretValue(
  { clientSecret, clientSecretStdin }: SharedOptions,
  hasFile: boolean,
): void {
  if (clientSecret !== undefined) {
    throw new UsageError(
      'a secret does not belong on the command line, where others can read it',
      'Use --client-secret-file FILE or --client-secret-stdin, or leave it out and type it when asked. Replace this one if it was real.',
    );
  }
  if (clientSecretStdin && hasFile) {
    throw new UsageError('--client-secret-file and --client-secret-stdin contradict each other');
  }
}

function groupRole(text: string, before: [string, string][] = []): [string, string][] {
  const split = text.lastIndexOf('=');
  if (split < 1 || split === text.length - 1) throw new InvalidArgumentError('It must be group=role.');
  return [...before, [text.slice(0, split), text.slice(split + 1)]];
}
