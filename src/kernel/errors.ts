/** Every way an operation can refuse. Both doors translate the whole list: HTTP to a status, the CLI to an exit code. */
export type ErrorCode =
  | 'unauthorized'
  | 'invalid_credentials'
  | 'local_login_disabled'
  | 'insufficient_scope'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'validation_failed'
  | 'configuration_invalid'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'method_not_allowed'
  | 'rate_limit_exceeded'
  | 'service_unavailable'
  | 'internal_server_error';

export interface ErrorExtras {
  /** What the reader can do about it; one sentence. */
  hint?: string | undefined;
  /** One message per thing that is wrong, each naming where. */
  errors?: string[] | undefined;
  /** Facts for programs. */
  details?: Record<string, unknown> | undefined;
  cause?: unknown;
}

/** A refusal with a meaning. Anything else that is thrown is a bug or an outage. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly errors: string[] | undefined;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, { hint, errors, details, cause }: ErrorExtras = {}) {
    super(message, { cause });
    this.name = 'AppError';
    this.code = code;
    this.hint = hint;
    this.errors = errors;
    this.details = details;
  }
}

export function notFound(what: string): AppError {
  return new AppError('not_found', `${what} not found`);
}

export function invalid(errors: string[], hint?: string): AppError {
  return new AppError('validation_failed', errors.join('; '), { errors, hint });
}
