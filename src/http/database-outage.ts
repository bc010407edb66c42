import { errorCode } from '#src/kernel/error-code.ts';

/** The network between us and the database. */
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // the socket file of a database that is down
]);

/**
 * SQLSTATE: connection exceptions, refused logins, a missing database, resources gone, a cancelled or timed out
 * statement, shutdown and start-up, and a primary that has become a standby.
 */
const SQLSTATE = /^(08...|28...|3D000|53...|55P03|57014|57P0[1-5]|58...|25006)$/;

/** A certificate that is not trusted (any more). */
const CERTIFICATE = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/;

/** node-postgres and its pool report these without a code. */
const CODELESS = [
  'timeout exceeded when trying to connect',
  'Connection terminated',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
  'Cannot use a pool after calling end on the pool',
  'timeout expired',
];

/** Whether the database could not be asked at all, or not in time: worth trying again, and nobody's bug. */
export function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = errorCode(error);
  if (code !== undefined) return NETWORK.has(code) || SQLSTATE.test(code) || CERTIFICATE.test(code);
  if (error.cause !== undefined) return isDatabaseOutage(error.cause);
  return CODELESS.some((start) => error.message.startsWith(start));
}
