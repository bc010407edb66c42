import { isDatabaseOutage } from '#src/http/database-outage.ts';
import { AppError, type ErrorCode } from '#src/kernel/errors.ts';

const STATUS: Record<ErrorCode, number> = {
  unauthorized: 401,
  invalid_credentials: 401,
  local_login_disabled: 403,
  insufficient_scope: 403,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  rate_limit_exceeded: 429,
  configuration_invalid: 500,
  internal_server_error: 500,
  service_unavailable: 503,
};

/** The specified body of every error. */
export interface ErrorResponse {
  error: string;
  message: string;
  errors?: string[];
  details?: Record<string, unknown>;
}

/** What is thrown, as something that may be shown: outages and bugs lose everything that is not for strangers. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError && STATUS[error.code] !== 500) return error;
  if (isDatabaseOutage(error)) {
    return new AppError('service_unavailable', 'The database cannot be reached. Try again shortly.', {
      cause: error,
    });
  }
  return new AppError('internal_server_error', 'Something went wrong on our side', { cause: error });
}

export function statusOf({ code }: AppError): number {
  return STATUS[code];
}

export function presentError({ code, message, errors, details }: AppError): ErrorResponse {
  return { error: code, message, ...(errors && { errors }), ...(details && { details }) };
}
