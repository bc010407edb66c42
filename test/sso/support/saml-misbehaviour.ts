import type { Encryption, SigningChoices } from '#test/sso/support/saml-sign.ts';

/** What a provider does otherwise than usual, in any combination. Times are seconds from now; null leaves a part out. */
export interface Misbehaviour extends SigningChoices {
  /** Usually the assertion alone. */
  sign?: 'assertion' | 'response' | 'both' | 'none' | undefined;
  /** Signs with a key that belongs to nobody known. */
  otherKey?: boolean | undefined;

  status?: string | undefined;
  subStatus?: string | undefined;
  statusMessage?: string | undefined;
  version?: string | undefined;
  destination?: string | null | undefined;
  /** Of response and assertion. */
  issuer?: string | null | undefined;
  responseIssuer?: string | null | undefined;
  assertionIssuer?: string | null | undefined;
  /** Of response and confirmation. */
  inResponseTo?: string | null | undefined;
  responseInResponseTo?: string | null | undefined;
  confirmationInResponseTo?: string | null | undefined;
  assertionId?: string | undefined;
  issuedAt?: number | undefined;

  conditions?: null | undefined;
  notBefore?: number | null | undefined;
  notOnOrAfter?: number | null | undefined;
  /** Null: no AudienceRestriction. */
  audience?: string | readonly string[] | null | undefined;
  /** Inside Conditions, as it is. */
  conditionsXml?: string | undefined;
  /** Null: no SubjectConfirmation. */
  confirmation?: null | undefined;
  confirmationMethod?: string | undefined;
  confirmationNotBefore?: number | undefined;
  confirmationNotOnOrAfter?: number | null | undefined;
  recipient?: string | null | undefined;
  sessionNotOnOrAfter?: number | undefined;
  /** Null: no AuthnStatement. */
  authnStatement?: null | undefined;

  /** The text of the NameID, as it is: with comments, CDATA sections, processing instructions. */
  nameIdXml?: string | undefined;
  /** Null: no NameID. */
  nameIdFormat?: string | null | undefined;
  noNameId?: boolean | undefined;
  encryptNameId?: boolean | undefined;
  /** Needs the certificate of the recipient. */
  encrypt?: Encryption | undefined;
  /** Encrypts something else than the assertion. */
  encryptedXml?: string | undefined;

  /** Signature wrapping 1 to 8 (Somorovsky and others, "On Breaking SAML", 2012), in the name of `mallory@example.com`. */
  wrap?: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | undefined;
  doctype?: boolean | undefined;
  /** No assertion at all. */
  noAssertion?: boolean | undefined;
  /** A second assertion, signed as well. */
  twoAssertions?: boolean | undefined;
  /** Instead of the attributes. */
  attributesXml?: string | undefined;
  /** Changes the assertion before it is signed. */
  beforeSigning?: ((assertion: string) => string) | undefined;
  /** Changes the message after it was signed. */
  afterSigning?: ((response: string) => string) | undefined;
}
