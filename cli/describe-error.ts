import { CliError, EXIT_CODE_OF, type ExitCode } from '#cli/errors.ts';
import { AppError } from '#src/kernel/errors.ts';

/** What there is to say about an error, to people and to programs. */
export interface Failure {
  exitCode: ExitCode;
  code: string;
  message: string;
  hint?: string | undefined;
  errors?: readonly string[] | undefined;
}

export function describeError(error: unknown): Failure {
  if (error instanceof CliError) return error;
  if (error instanceof AppError) {
    const { code, message, hint, errors } = error;
    return { exitCode: EXIT_CODE_OF[code], code, message, hint, errors };
  }
  const chain = causes(error);
  const known = chain.map(describeCause).find((failure) => failure !== undefined);
  if (known) return known;
  return {
    exitCode: 1,
    code: 'internal_server_error',
    message: error instanceof Error && error.message ? error.message : String(error),
    hint: 'This is unexpected. --debug shows where it happened.',
  };
}

interface Cause {
  code?: unknown;
  syscall?: unknown;
  path?: unknown;
  message?: unknown;
}

/** The error and everything it was caused by, outermost first. */
function causes(error: unknown, depth = 0): Cause[] {
  if (typeof error !== 'object' || error === null || depth > 5) return [];
  const { cause, errors }: { cause?: unknown; errors?: unknown } = error;
  const inner = [cause, ...(Array.isArray(errors) ? errors : [])];
  return [error, ...inner.flatMap((next) => causes(next, depth + 1))];
}

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** node-postgres gives these no code. */
const NO_ANSWER = new RegExp(
  `^(${[
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Query read timeout',
    'Connection terminated',
    'Client has encountered a connection error',
    'Client was closed',
  ].join('|')})`,
);

function describeCause({ code, syscall, path, message }: Cause): Failure | undefined {
  const word = typeof code === 'string' ? code : '';
  if (NETWORK.has(word) || syscall === 'connect') return unavailable('The database cannot be reached', word);
  if (word === '' && typeof message === 'string' && NO_ANSWER.test(message)) {
    return unavailable('The database does not answer');
  }
  if (word === '' && message === 'The server does not support SSL connections') {
    return {
      exitCode: 5,
      code: 'configuration_invalid',
      message: 'The database offers no TLS, which sslmode in DATABASE_URL asks for',
      hint: 'Turn TLS on in PostgreSQL (ssl = on), or leave sslmode out of DATABASE_URL.',
    };
  }
  if (/^(?=.*\d)[0-9A-Z]{5}$/.test(word)) return describeSqlState(word);
  const file = typeof path === 'string' ? path : undefined;
  if (NO_ROOM.has(word)) return noRoom(word, file);
  return file === undefined ? undefined : describeFile(word, file);
}

/** No space, no quota, or a file larger than this process may write. */
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

function noRoom(code: string, path = 'the disk is full'): Failure {
  return {
    exitCode: 1,
    code: 'output_failed',
    message: `No room left to write: ${path} (${code})`,
    hint: 'Make room, or write elsewhere, then run it again.',
  };
}

/** PostgreSQL's messages may quote what is stored, so none of them is shown. */
function describeSqlState(state: string): Failure {
  const fixed = SQL_STATES.find(([pattern]) => pattern.test(state));
  if (fixed) return fixed[1](state);
  return {
    exitCode: 1,
    code: 'internal_server_error',
    message: `The database refused a statement (${state})`,
    hint: 'This is unexpected. --debug shows where it happened.',
  };
}

const SQL_STATES: [RegExp, (state: string) => Failure][] = [
  [/^(08|57P0|53)/, (state) => unavailable('The database cannot be reached', state)],
  [
    /^(57014|55P03|25P03|40001|40P01)$/,
    (state) => unavailable('The database was too busy with something else', state),
  ],
  [
    /^(28|3D000$)/,
    (state) => ({
      exitCode: 5,
      code: 'configuration_invalid',
      message: `The database does not let us in (${state})`,
      hint: 'Check user, password and database name in DATABASE_URL.',
    }),
  ],
  [
    /^42501$/,
    () => ({
      exitCode: 5,
      code: 'configuration_invalid',
      message: 'The database role may not do this (42501)',
      hint: 'ARCHITECTURE.md lists the grants that the role in DATABASE_URL needs.',
    }),
  ],
  [/^23505$/, () => invalid('Something with these values exists already')],
  [/^23503$/, () => invalid('Something this refers to does not exist, or is still in use')],
  [/^(23|22)/, () => invalid('The database does not accept these values')],
];

function unavailable(message: string, reason = ''): Failure {
  return {
    exitCode: 7,
    code: 'service_unavailable',
    message: reason ? `${message} (${reason})` : message,
    hint: 'Check DATABASE_URL and that PostgreSQL is running, then try again.',
  };
}

function invalid(message: string): Failure {
  return { exitCode: 5, code: 'validation_failed', message };
}

function describeFile(code: string, path: string): Failure | undefined {
  if (code === 'ENOENT')
    return { exitCode: 3, code: 'not_found', message: `No such file or folder: ${path}` };
  if (code === 'EACCES' || code === 'EPERM') {
    return { exitCode: 4, code: 'forbidden', message: `No permission: ${path}` };
  }
  if (code === 'EISDIR' || code === 'ENOTDIR') {
    return { exitCode: 5, code: 'validation_failed', message: `Not a file: ${path}` };
  }
  return undefined;
}
