import { expect, test } from 'vitest';
import { isDatabaseOutage } from '#src/http/database-outage.ts';

const failure = (code: string | undefined, message = 'failed', cause?: unknown) =>
  Object.assign(new Error(message, { cause }), code !== undefined && { code });

test.each([
  ['ECONNREFUSED'],
  ['ENOENT'],
  ['08006'], // connection failure
  ['28P01'], // wrong password
  ['3D000'], // no such database
  ['53300'], // too many connections
  ['55P03'], // lock not available
  ['57014'], // cancelled, or over its time
  ['57P01'], // shut down by an administrator
  ['57P03'], // starting up
  ['58030'], // disk
  ['25006'], // read-only: a standby
  ['CERT_HAS_EXPIRED'],
  ['ERR_TLS_CERT_ALTNAME_INVALID'],
])('%s is an outage, also as the cause of something else', (code) => {
  expect(isDatabaseOutage(failure(code))).toBe(true);
  expect(isDatabaseOutage(failure(undefined, 'could not read', failure(code)))).toBe(true);
});

test.each([
  'timeout exceeded when trying to connect',
  'Connection terminated unexpectedly',
  'Query read timeout',
])('"%s" of node-postgres is an outage', (message) => {
  expect(isDatabaseOutage(failure(undefined, message))).toBe(true);
});

test.each([
  ['a bug', failure(undefined, 'x is not a function')],
  ['a wrong statement', failure('42601')],
  ['a broken rule', failure('23505')],
  ['a deadlock', failure('40P01')],
  ['no error at all', 'ECONNREFUSED'],
])('%s is none', (_, error) => {
  expect(isDatabaseOutage(error)).toBe(false);
});
