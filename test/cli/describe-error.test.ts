import { describe, expect, test } from 'vitest';
import { describeError } from '#cli/describe-error.ts';
import { EXIT_CODE_OF, EXIT_CODES } from '#cli/errors.ts';
import { AppError } from '#src/kernel/errors.ts';

const withCode = (code: string, message = 'Key (email)=(secret@example.com) already exists.') =>
  Object.assign(new Error(message), { code });

describe('an error', () => {
  test.each([
    ['ECONNREFUSED', 7],
    ['ENOTFOUND', 7],
    ['ETIMEDOUT', 7],
    ['57P01', 7],
    ['57P03', 7],
    ['08006', 7],
    ['53300', 7],
    ['57014', 7],
    ['55P03', 7],
    ['40P01', 7],
    ['28P01', 5],
    ['3D000', 5],
    ['23505', 5],
    ['23503', 5],
    ['23514', 5],
    ['22003', 5],
    ['42P01', 1],
  ])('with the code %s exits %i and shows no value', (code, exitCode) => {
    const failure = describeError(withCode(code));

    expect(failure.exitCode).toBe(exitCode);
    expect(`${failure.message} ${failure.hint}`).not.toContain('secret@example.com');
  });

  test('names sslmode when the database has no TLS', () => {
    const failure = describeError(new Error('The server does not support SSL connections'));

    expect(failure).toMatchObject({ exitCode: 5, hint: expect.stringContaining('sslmode') });
  });

  test.each([
    ['a cause', new Error('Query failed', { cause: withCode('ECONNREFUSED') })],
    ['one of several', new AggregateError([new Error('x'), withCode('ECONNREFUSED')], '')],
  ])('is recognised in %s', (_, error) => {
    expect(describeError(error).exitCode).toBe(7);
  });

  test.each([
    'timeout exceeded when trying to connect',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'Query read timeout',
    'Client has encountered a connection error and is not queryable',
  ])('"%s" means no database', (message) => {
    expect(describeError(new Error(message))).toMatchObject({ exitCode: 7, code: 'service_unavailable' });
  });

  test('about a file names the file', () => {
    const error = Object.assign(new Error('ENOENT'), {
      code: 'ENOENT',
      path: '/no/such.csv',
      syscall: 'open',
    });

    expect(describeError(error)).toMatchObject({
      exitCode: 3,
      message: 'No such file or folder: /no/such.csv',
    });
  });

  test.each(['ENOSPC', 'EDQUOT', 'EFBIG'])('%s says that there is no room, and where', (code) => {
    const error = Object.assign(withCode(code), { path: '/backups/a.ndjson' });

    expect(describeError(error)).toMatchObject({
      exitCode: 1,
      code: 'output_failed',
      message: `No room left to write: /backups/a.ndjson (${code})`,
      hint: expect.stringContaining('Make room'),
    });
  });

  test('of an operation keeps its code, hint and list', () => {
    const error = new AppError('validation_failed', 'a; b', { hint: 'do c', errors: ['a', 'b'] });

    expect(describeError(error)).toEqual({
      exitCode: 5,
      code: 'validation_failed',
      message: 'a; b',
      hint: 'do c',
      errors: ['a', 'b'],
    });
  });

  test.each([['not an error'], [null], [{}]])('may be anything: %j', (thrown) => {
    expect(describeError(thrown)).toMatchObject({ exitCode: 1, code: 'internal_server_error' });
  });

  test('never gets an exit code that is not documented', () => {
    for (const code of Object.values(EXIT_CODE_OF)) expect(EXIT_CODES).toHaveProperty(String(code));
  });
});
