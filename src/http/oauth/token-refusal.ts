/** Of RFC 6749, section 5.2, those that this endpoint has a use for. */
export const TOKEN_ERRORS = [
  'invalid_request',
  'invalid_client',
  'unsupported_grant_type',
  'invalid_scope',
] as const;

type TokenErrorCode = (typeof TOKEN_ERRORS)[number];

/** A refusal in the words of RFC 6749. The message goes out: printable ASCII, no quotation mark, no backslash. */
export class TokenRefusal extends Error {
  readonly code: TokenErrorCode;

  constructor(code: TokenErrorCode, message: string) {
    super(message);
    this.name = 'TokenRefusal';
    this.code = code;
  }
}
