/** Every way a sign-in at an identity provider can fail, and what the page says about it. */
const SENTENCES = {
  access_denied: 'The sign-in was cancelled or refused at the identity provider.',
  interaction_required: 'The identity provider needs you to sign in there first.',
  state_mismatch: 'This sign-in does not belong to the page it was started from.',
  callback_invalid: 'The identity provider sent you back without what a sign-in needs.',
  login_incomplete: 'What was remembered of this sign-in is incomplete.',
  issuer_mismatch: 'The answer names another issuer than the one configured for this identity provider.',
  audience_mismatch: 'The answer was made for another application.',
  authorized_party_mismatch: 'The answer was requested by another application.',
  nonce_mismatch: 'The answer belongs to another sign-in.',
  id_token_missing: 'The identity provider sent no ID token.',
  signature_invalid: 'The signature of the answer is wrong.',
  signing_key_unknown: 'The answer is signed with a key that the identity provider does not publish.',
  signing_key_ambiguous: 'The identity provider does not say which of its keys signed the answer.',
  algorithm_refused: 'The answer is signed in a way that is not accepted here.',
  token_expired: 'The answer has expired. The clocks of the two servers may differ.',
  token_not_yet_valid: 'The answer is not valid yet. The clocks of the two servers may differ.',
  issued_at_implausible: 'The time of the answer is implausible. The clocks of the two servers may differ.',
  access_token_mismatch: 'The two tokens of the answer do not belong together.',
  claim_invalid: 'The answer lacks something that every answer must have.',
  subject_missing: 'The identity provider does not say who signed in.',
  subject_invalid: 'The identity provider names the person in a way that cannot be kept.',
  subject_transient:
    'The identity provider names people anew at each sign-in, so nobody would be known again: it must send a NameID that lasts.',
  userinfo_subject_mismatch: 'The identity provider sent the details of somebody else.',
  discovery_invalid: 'What the identity provider publishes about itself cannot be used.',
  discovery_issuer_missing: 'What the identity provider publishes about itself names no issuer.',
  discovery_issuer_mismatch: 'What the identity provider publishes about itself names another issuer.',
  discovery_issuer_slash: 'The configured issuer differs from the published one by a slash at its end.',
  discovery_issuer_template:
    'What the identity provider publishes about itself serves any tenant: its issuer has a placeholder. Configure the issuer of your own tenant.',
  keys_invalid: 'The keys that the identity provider publishes cannot be used.',
  provider_unreachable: 'The identity provider cannot be reached.',
  provider_timeout: 'The identity provider did not answer in time.',
  provider_certificate_invalid: 'The certificate of the identity provider is not trusted here.',
  provider_address_refused: 'The identity provider is at an address that must not be contacted from here.',
  provider_redirected: 'The identity provider sent the server elsewhere, which it does not follow.',
  provider_failed: 'The identity provider answered with a failure.',
  provider_not_json: 'The identity provider answered something else than data.',
  provider_answer_too_large: 'The answer of the identity provider is too large.',
  provider_answer_invalid: 'The identity provider answered something that makes no sense.',
  client_refused: 'The identity provider does not accept the client ID or secret of this service.',
  code_refused: 'The identity provider does not accept this sign-in any more.',
  refresh_refused: 'The identity provider does not renew this sign-in any more.',
  provider_error: 'The identity provider reported an error.',
  provider_misconfigured: 'This identity provider is not set up correctly here.',
  provider_disabled: 'Signing in with this identity provider is turned off.',
  issuer_changed: 'Your account was connected through another issuer than the one that answers now.',
  subject_changed:
    'Your account was connected by a name of another kind than the identity provider sends now, which may be that of somebody else.',
  user_suspended: 'This account is suspended. Ask your administrator.',
  identity_blocked: 'The account that belonged to this sign-in was deleted. Ask your administrator.',
  identity_taken: 'This sign-in is already connected with another account.',
  link_refused: 'This sign-in can no longer be connected with the account it was meant for.',
  email_missing: 'The identity provider does not say your email address, which a new account needs.',
  email_invalid: 'The identity provider sent an email address that cannot be used.',
  email_unverified: 'The identity provider has not verified your email address, which a new account needs.',
  account_creation_disabled:
    'There is no account for you yet, and signing in does not make one here. Ask your administrator for an invitation.',
  domain_not_allowed:
    'There is no account for you yet, and addresses of your domain are not given one here. Ask your administrator for an invitation.',
  message_invalid: 'The identity provider sent a message that cannot be read.',
  message_too_large: 'The identity provider sent a message that is too large or too deeply nested.',
  assertion_missing: 'The answer says nothing about who signed in.',
  assertion_unencrypted: 'The answer is not encrypted, as it has to be for this identity provider.',
  assertion_undecipherable: 'The answer is encrypted in a way that cannot be opened here.',
  encryption_refused:
    'The answer is encrypted in a way that is not accepted here: the identity provider must use AES-GCM with RSA-OAEP.',
  session_ended: 'Your session at the identity provider has ended in the meantime.',
  assertion_replayed: 'This answer has been used before.',
  signature_missing: 'The answer is not signed.',
  destination_mismatch: 'The answer was sent to another address than it was made for.',
  recipient_mismatch: 'The answer was made for another recipient.',
  confirmation_missing: 'The answer does not say for whom and how long it is good.',
  conditions_missing: 'The answer does not say under which conditions it is valid.',
  response_unsolicited: 'Sign-ins with this identity provider begin on the sign-in page of this service.',
  response_mismatch: 'The answer belongs to another sign-in.',
  attributes_conflict: 'The answer names the person in two ways that contradict each other.',
  metadata_invalid: 'The metadata of the identity provider cannot be used.',
  metadata_expired: 'The metadata of the identity provider has expired.',
  metadata_entity_mismatch: 'The metadata belongs to another identity provider than the one configured.',
  logout_message_invalid: 'The message about signing out is not valid.',
  logout_token_invalid: 'The notice that somebody logged out is not valid.',
} as const;

/** Recorded with the refusal; documented, so never renamed. */
export type RefusalReason = keyof typeof SENTENCES;

/** What a recorded reason means; undefined for those of other ways to sign in. */
export function sentenceOfRefusal(reason: string): string | undefined {
  return isRefusalReason(reason) ? SENTENCES[reason] : undefined;
}

function isRefusalReason(reason: string): reason is RefusalReason {
  return Object.hasOwn(SENTENCES, reason);
}

/**
 * A sign-in through an identity provider that failed. Holds nothing the provider wrote: `message` is one of our own
 * sentences, `detail` a code of a library or system, or a status number, for the log. No cause: those of the
 * libraries carry whole tokens.
 */
export class LoginRefused extends Error {
  readonly reason: RefusalReason;
  readonly detail: string | undefined;
  /** Whose account it would have been, where that is known. */
  readonly userId: string | undefined;

  constructor(reason: RefusalReason, detail?: string, userId?: string) {
    super(SENTENCES[reason]);
    this.name = 'LoginRefused';
    this.reason = reason;
    this.detail = detail;
    this.userId = userId;
  }
}

/** Whether trying again may help: nobody answered, or with a failure of the server's own (5xx) or "too many" (429). */
export function isOutage({ reason, detail }: Pick<LoginRefused, 'reason' | 'detail'>): boolean {
  if (reason !== 'provider_failed') return reason === 'provider_unreachable' || reason === 'provider_timeout';
  return detail === undefined || /^(5\d\d|429)$/.test(detail);
}
