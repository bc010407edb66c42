import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';

const CERTIFICATE =
  /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|HOSTNAME_MISMATCH)/;
const PERMISSION_DENIED = '42501';
/** node-postgres gives it no code. */
const NO_TLS = 'The server does not support SSL connections';

/** What a mistake in the settings or grants looks like from here, with its remedy; anything else as it is. */
export function explainRefusal(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = errorCode(error) ?? '';
  if (CERTIFICATE.test(code)) {
    return refusal(error, `The database's certificate is not trusted: ${error.message}`, {
      hint: 'sslrootcert in DATABASE_URL names the authority that signed it; verify-full compares the host name too.',
    });
  }
  if (error.message === NO_TLS) {
    return refusal(error, 'The database server offers no TLS, and sslmode in DATABASE_URL asks for it', {
      hint: 'Turn on ssl in postgresql.conf; on a network you trust, sslmode=disable.',
    });
  }
  if (code === PERMISSION_DENIED) {
    return refusal(error, `The database role may not do this: ${error.message}`, {
      hint: "MIGRATION_DATABASE_URL must be the tables' owner; ARCHITECTURE.md lists the grants DATABASE_URL needs.",
    });
  }
  return error;
}

function refusal(cause: Error, message: string, { hint }: { hint: string }): AppError {
  return new AppError('configuration_invalid', message, { hint, cause });
}
