import type { ErrorCode } from '#src/kernel/errors.ts';

/** What each exit code means; `financectl help exit-codes` prints this table. */
export const EXIT_CODES = {
  0: 'done, or nothing to do',
  1: 'unexpected failure',
  2: 'usage: unknown command or flag, missing or contradictory flags',
  3: 'not found',
  4: 'refused: confirmation missing or declined, the actor may not do it, or the present state does not allow it (the last super admin stays one)',
  5: 'invalid data or settings',
  6: 'partly done: some of it failed or was rejected; the rest is done',
  7: 'temporarily unavailable (the database, an identity provider or the archive target cannot be reached, or another run is at it); trying again may help',
  8: 'with --exit-code only: there is something to do',
  129: 'hung up: the terminal was closed',
  130: 'interrupted (Ctrl-C)',
  143: 'terminated',
} as const;

export type ExitCode = keyof typeof EXIT_CODES;

/** The signals that end a command in order, with what it ends with. */
export const SIGNAL_ENDINGS = {
  SIGHUP: { exitCode: 129, code: 'hung_up' },
  SIGINT: { exitCode: 130, code: 'interrupted' },
  SIGTERM: { exitCode: 143, code: 'terminated' },
} as const satisfies Record<string, { exitCode: ExitCode; code: string }>;

export const EXIT_CODE_OF: Readonly<Record<ErrorCode, ExitCode>> = {
  unauthorized: 4,
  invalid_credentials: 4,
  local_login_disabled: 4,
  insufficient_scope: 4,
  forbidden: 4,
  not_found: 3,
  conflict: 4,
  validation_failed: 5,
  configuration_invalid: 5,
  payload_too_large: 5,
  unsupported_media_type: 5,
  method_not_allowed: 1,
  rate_limit_exceeded: 7,
  service_unavailable: 7,
  internal_server_error: 1,
};

/** A refusal of the command line itself; operations throw AppError. */
export class CliError extends Error {
  readonly code: string;
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;
  /** One message per thing that failed. */
  readonly errors: readonly string[] | undefined;

  constructor(code: string, exitCode: ExitCode, message: string, hint?: string, errors?: readonly string[]) {
    super(message);
    this.name = 'CliError';
    this.code = code;
    this.exitCode = exitCode;
    this.hint = hint;
    this.errors = errors;
  }
}

export class UsageError extends CliError {
  constructor(message: string, hint?: string) {
    super('usage', 2, message, hint);
  }
}

/** Stdout cannot be written. main.ts tells of it, whatever was being written; nobody else does. */
export class StdoutLost extends CliError {
  constructor(cause: Error) {
    super('output_failed', 1, 'stdout cannot be written');
    this.cause = cause;
  }
}

/** A confirmation that was not given. */
export class Refused extends CliError {
  constructor(message: string, hint?: string) {
    super('confirmation_required', 4, message, hint);
  }
}

export class Cancelled extends CliError {
  constructor() {
    super('cancelled', 130, 'cancelled; nothing was changed');
  }
}

/** The command did its work and its result stands; the exit code says what it came to. */
export class Verdict extends CliError {}

/** Some of a batch failed; each failure has been told already, or is in `errors`. */
export class PartlyDone extends Verdict {
  constructor(message: string, hint?: string, errors?: readonly string[]) {
    super('partly_done', 6, message, hint, errors);
  }
}
