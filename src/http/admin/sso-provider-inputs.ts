import { optionsOf, ROLE_LABELS } from '#src/http/web/labels.ts';
import { LASTING_FORMATS } from '#src/sso/providers/parse-name-id-format.ts';
import type { Provider } from '#src/sso/providers/provider.ts';

/** One field of a provider as the form asks for it; names as in `parseProvider`. */
export interface ProviderInput {
  name: string;
  label: string;
  hint?: string;
  /** `secret` is never shown again, `flag` is a box to tick, `block` is text of several lines. */
  kind: 'text' | 'secret' | 'secret_block' | 'flag' | 'block' | 'choice';
  required?: true;
  options?: readonly { value: string; text: string }[];
}

export const STRATEGY_LABELS: Record<Provider['strategy'], string> = {
  openid_connect: 'OpenID Connect',
  oauth2: 'OAuth 2.0',
  saml: 'SAML 2.0',
};

const text = (name: string, label: string, hint?: string): ProviderInput => ({
  name,
  label,
  kind: 'text',
  ...(hint !== undefined && { hint }),
});
const required = (name: string, label: string, hint?: string): ProviderInput => ({
  ...text(name, label, hint),
  required: true,
});
const flag = (name: string, label: string, hint?: string): ProviderInput => ({
  ...text(name, label, hint),
  kind: 'flag',
});
const block = (name: string, label: string, hint?: string): ProviderInput => ({
  ...text(name, label, hint),
  kind: 'block',
});
const choice = (name: string, label: string, options: Record<string, string>): ProviderInput => ({
  name,
  label,
  kind: 'choice',
  options: optionsOf(options),
});

const LABEL = text('label', 'Button label', 'What the button on the login page says.');

const SECRET: ProviderInput = { name: 'client_secret', label: 'Client secret', kind: 'secret' };

const CLIENT = [required('client_id', 'Client ID'), SECRET];

const TOKEN_ENDPOINT_AUTH = choice('token_endpoint_auth', 'How the secret is sent', {
  client_secret_post: 'In the form (client_secret_post)',
  client_secret_basic: 'In a header (client_secret_basic)',
});

const REDIRECT_URI = text(
  'redirect_uri',
  'Other callback address (optional)',
  'Only when people come back through another address than the one above.',
);

const USUAL_NAMES = 'Empty: the usual names are tried.';

const TRUST_EMAIL = flag(
  'trust_email',
  'Trust email addresses',
  'Counts them as verified although the provider never says whether they are.',
);

const COMMON = [
  choice('default_role', 'Default role', ROLE_LABELS),
  text('group_attribute', 'Group attribute (optional)', USUAL_NAMES),
];

const FROM_METADATA = 'Empty: as the metadata says.';

const BINDINGS = { '': 'As the metadata says, else by redirect', redirect: 'Redirect', post: 'POST' };

const FORMATS = {
  '': 'As the metadata offers, else an email address',
  [LASTING_FORMATS.emailAddress]: 'Email address (emailAddress)',
  [LASTING_FORMATS.persistent]: 'A name that lasts (persistent)',
  [LASTING_FORMATS.unspecified]: 'As the provider likes (unspecified)',
};

const INPUTS: Record<Provider['strategy'], readonly ProviderInput[]> = {
  openid_connect: [
    LABEL,
    required('issuer', 'Issuer', 'Exactly as the provider publishes it, with or without a slash at the end.'),
    ...CLIENT,
    text('scopes', 'Scopes', 'Separated by blanks. Empty: openid profile email.'),
    TOKEN_ENDPOINT_AUTH,
    REDIRECT_URI,
    TRUST_EMAIL,
    ...COMMON,
  ],
  oauth2: [
    LABEL,
    required('authorization_url', 'Authorization URL'),
    required('token_url', 'Token URL'),
    required('userinfo_url', 'User info URL'),
    text('emails_url', 'Emails URL (optional)', 'A second address that says which emails are verified.'),
    ...CLIENT,
    text('scopes', 'Scopes', 'Separated by blanks.'),
    TOKEN_ENDPOINT_AUTH,
    text('subject_attribute', 'Attribute of the id', 'Paths such as data.id or emails.0.value. Empty: id.'),
    text('email_attribute', 'Attribute of the email', 'Empty: email.'),
    text('email_verified_attribute', 'Attribute that says whether the email is verified (optional)'),
    text('first_name_attribute', 'Attribute of the first name (optional)'),
    text('last_name_attribute', 'Attribute of the last name (optional)'),
    text('name_attribute', 'Attribute of the whole name', 'Empty: name.'),
    REDIRECT_URI,
    ...COMMON,
  ],
  saml: [
    LABEL,
    text(
      'metadata_url',
      'Metadata URL (optional)',
      'Fills whatever is left empty below, and is read again by itself.',
    ),
    text('entity_id', 'Entity ID of the provider', FROM_METADATA),
    text('sso_url', 'Sign-in URL', FROM_METADATA),
    choice('sso_binding', 'How requests are sent', BINDINGS),
    block(
      'certificate',
      'Certificates of the provider',
      'PEM, one or several. Empty: those of the metadata, so that new ones come by themselves.',
    ),
    text('logout_url', 'Logout URL (optional)', FROM_METADATA),
    choice('logout_binding', 'How sign-outs are sent', BINDINGS),
    text(
      'logout_response_url',
      'Logout response URL (optional)',
      'Where answers to its own sign-outs go, when that is another address.',
    ),
    choice('name_id_format', 'NameID format', FORMATS),
    text('email_attribute', 'Attribute of the email (optional)', USUAL_NAMES),
    text('first_name_attribute', 'Attribute of the first name (optional)', USUAL_NAMES),
    text('last_name_attribute', 'Attribute of the last name (optional)', USUAL_NAMES),
    flag('sign_requests', 'Sign requests', 'Needs the private key and its certificate.'),
    { ...block('private_key', 'Private key (optional)'), kind: 'secret_block' },
    block('sp_certificate', 'Certificate of the private key (optional)'),
    { ...block('decryption_key', 'Decryption key (optional)'), kind: 'secret_block' },
    block('decryption_certificate', 'Certificate of the decryption key (optional)'),
    flag('require_encrypted_assertions', 'Require encrypted assertions'),
    flag('allow_idp_initiated', 'Allow sign-ins that begin at the provider'),
    flag('allow_sha1', 'Allow SHA-1 signatures', 'Only for providers that know nothing else.'),
    ...COMMON,
  ],
};

/** What the form of such a provider asks for, in its order; the role mapping comes after it. */
export function inputsOf(strategy: Provider['strategy']): readonly ProviderInput[] {
  return INPUTS[strategy];
}
