import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { connectionTo } from '#src/kernel/connection.ts';
import { createLog } from '#src/kernel/log.ts';
import { createPool } from '#src/kernel/pool.ts';
import { recordingLog } from '#test/http/serve.ts';
import { useRuntime } from '#test/support/database.ts';

const OWN_FILE = import.meta.filename;
const UNTRUSTED = { rejectUnauthorized: false };
const TRUSTED = { rejectUnauthorized: true };

describe('sslmode means what libpq says', () => {
  test.each([
    ['', undefined],
    ['?sslmode=', undefined],
    ['?sslmode=disable', false],
    ['?sslmode=prefer', UNTRUSTED],
    ['?sslmode=require', UNTRUSTED],
    [`?sslmode=require&sslrootcert=${OWN_FILE}`, { ...TRUSTED, ca: expect.stringContaining('libpq') }],
    [`?sslmode=verify-ca&sslrootcert=${OWN_FILE}`, TRUSTED],
    ['?sslmode=verify-full', TRUSTED],
    ['?sslmode=verify-full&sslrootcert=system', { ...TRUSTED, ca: expect.any(Array) }],
  ])('%s', (query, ssl) => {
    const config = connectionTo(`postgres://h/d${query}`);

    expect(config.connectionString).toBe('postgres://h/d');
    if (typeof ssl === 'object') expect(config.ssl).toMatchObject(ssl);
    else expect(config.ssl).toBe(ssl);
  });

  test.each([
    ['sslmode=verify-full', 'localhost', true],
    ['sslmode=verify-full', 'db.example', false],
    ['sslmode=verify-full', '127.0.0.1', false],
    ['sslmode=verify-full', '10.0.0.5', true],
    ['sslmode=verify-full', '[::1]', false],
    [`sslmode=verify-ca&sslrootcert=${OWN_FILE}`, 'db.example', true],
  ])('%s of %s, when the certificate is for localhost and 10.0.0.5: %s', (query, host, accepted) => {
    const { ssl } = connectionTo(`postgres://${host}/d?${query}`);
    const check = typeof ssl === 'object' ? ssl.checkServerIdentity : undefined;
    const certificate = { subject: {}, subjectaltname: 'DNS:localhost, IP Address:10.0.0.5' };

    // Node asks about "localhost" when the address is a number.
    const problem = check?.('localhost', certificate as unknown as Parameters<typeof check>[1]);
    expect(problem === undefined).toBe(accepted);
  });

  test.each([
    ['sslmode=verify', 'sslmode must be one of'],
    ['sslmode=verify-ca', 'needs sslrootcert'],
    ['sslmode=require&sslrootcert=/nowhere/ca.crt', 'sslrootcert cannot be read (ENOENT): /nowhere/ca.crt'],
  ])('%s is refused', (query, message) => {
    expect(() => connectionTo(`postgres://h/d?${query}`)).toThrow(message);
  });
});

describe('a session', () => {
  const harness = useRuntime();

  test("prints times in UTC and ISO style, and keeps our settings beside the URL's own options", async () => {
    const url = new URL(harness.databaseUrl);
    url.searchParams.set('options', '-c timezone=Asia/Tokyo -c datestyle=German -c work_mem=5MB');
    const pool = createPool(
      url.href,
      { size: 1, applicationName: 'test', statementTimeout: 7_000 },
      createLog('silent', 2),
    );

    const { rows } = await pool.query(
      `select name, setting from pg_settings
       where name in ('TimeZone', 'DateStyle', 'work_mem', 'jit', 'statement_timeout') order by lower(name)`,
    );
    await pool.end();

    expect(rows.map(({ name, setting }) => `${name} ${setting}`)).toEqual([
      expect.stringMatching(/^DateStyle ISO/),
      'jit off',
      'statement_timeout 7000',
      'TimeZone UTC',
      'work_mem 5120',
    ]);
  });

  test('that is lost is noted, unless the pool is at its end', async () => {
    const { log, lines } = recordingLog('warn');
    const options = { size: 1, applicationName: 'test', statementTimeout: 0 };
    const pool = createPool(harness.databaseUrl, options, log);
    const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
    await harness.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    await vi.waitFor(() => expect(lines).toMatchObject([{ event: 'database_connection_lost' }]));

    const ending = pool.end();
    pool.emit('error', new Error('terminating connection due to administrator command'), new Client());
    await ending;

    expect(lines).toHaveLength(1);
  });
});
