import { hash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '#config/env.ts';
import { createApiKey } from '#src/auth/create-api-key.ts';
import { openApiDocument } from '#src/http/openapi.ts';
import { createLog } from '#src/kernel/log.ts';
import { createRuntime } from '#src/runtime.ts';
import { givenLedger, type Ledger } from '#test/http/given-ledger.ts';
import { askRaw, askToken, basic, basicOf, inForm } from '#test/http/oauth-client.ts';
import { recordingLog, type Served, serve, withoutDatabase, withQuery } from '#test/http/serve.ts';
import { SECRET_KEY_BASE, useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
let served: Served;
let ledger: Ledger;
const TOKEN = /^fin_at_[A-Za-z0-9_-]{43}$/;

beforeAll(async () => {
  served = await serve(harness.runtime);
});
afterAll(() => served[Symbol.asyncDispose]());
beforeEach(async () => {
  ledger = await givenLedger(harness);
});

async function givenKey(scope: string, expiresAt?: Date) {
  const { apiKey, key } = await harness.perform((work) =>
    createApiKey(work, { userId: ledger.userId, name: `key ${scope}`, scope, expiresAt }),
  );
  return { keyId: apiKey.id, headers: { 'X-Api-Key': key } };
}

const storedTokens = () =>
  harness.query<{ digest: Buffer; api_key_id: string; scope: string }>('select * from access_tokens');

const percentEncoded = (text: string) =>
  Buffer.from(text).toString('hex').replaceAll(/../g, '%$&').toUpperCase();

const OWNER = 'select user_id from api_keys where id = $1';

async function broken(key: Ledger, sql: string) {
  await harness.query(sql, [key.keyId]);
  return inForm(key);
}

describe('a token', () => {
  test.each<[string, (key: Ledger) => [Record<string, string>, Record<string, string>?]]>([
    ['in the form', (key) => [inForm(key)]],
    ['by Basic', (key) => [{}, basicOf(key)]],
    [
      'by Basic with both halves form-encoded',
      ({ keyId, headers }) => [{}, basic(percentEncoded(keyId), percentEncoded(headers['X-Api-Key']))],
    ],
    [
      'by basic in lower case, without padding',
      (key) => [
        {},
        { Authorization: basicOf(key).Authorization.replace('Basic', 'basic  ').replaceAll('=', '') },
      ],
    ],
    ['by Basic, naming itself in the form too', (key) => [{ client_id: key.keyId }, basicOf(key)]],
    ['by Basic, with an empty secret in the form', (key) => [{ client_secret: '' }, basicOf(key)]],
    [
      'in the form, with an id in upper case',
      (key) => [{ ...inForm(key), client_id: key.keyId.toUpperCase() }],
    ],
    [
      'in the form, beside parameters nobody knows',
      (key) => [{ ...inForm(key), audience: 'x', resource: 'y' }],
    ],
    ['in the form, with an empty scope', (key) => [{ ...inForm(key), scope: '' }]],
  ])('is given to a client that authenticates %s', async (_, by) => {
    const [form, headers] = by(ledger);

    const answer = await askToken(served, form, headers);

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(TOKEN),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'read',
    });
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    expect(answer.headers.get('Pragma')).toBe('no-cache');
    const bearer = { Authorization: `Bearer ${answer.body.access_token}` };
    expect((await served.ask('/api/v1/accounts', { headers: bearer })).status).toBe(200);
  });

  test('is new every time, and kept only as a digest', async () => {
    const { body } = await askToken(served, inForm(ledger));
    const { body: other } = await askToken(served, inForm(ledger));

    expect(other.access_token).not.toBe(body.access_token);
    const stored = await storedTokens();
    expect(stored.map(({ digest }) => digest.toString('hex')).toSorted()).toEqual(
      [body, other].map(({ access_token: token }) => hash('sha256', token)).toSorted(),
    );
    expect(JSON.stringify(stored)).not.toContain(body.access_token);
  });

  test.each([
    ['read', undefined, 'read'],
    ['read', 'read', 'read'],
    ['read_write', undefined, 'read_write'],
    ['read_write', 'read', 'read'],
    ['read_write', 'read_write', 'read_write'],
    ['read_write', 'read_write read', 'read_write'],
    ['read_write', ' read  read ', 'read'],
  ])('of a key with %s, asked for with %j, has %s', async (held, scope, granted) => {
    const key = await givenKey(held);

    const { body } = await askToken(served, { ...inForm(key), ...(scope !== undefined && { scope }) });

    expect(body.scope).toBe(granted);
    expect((await storedTokens()).map((token) => token.scope)).toEqual([granted]);
  });

  test('never outlives its key', async () => {
    const key = await givenKey('read', new Date(Date.now() + 600_000));

    const { body } = await askToken(served, inForm(key));

    expect(body.expires_in).toBeGreaterThan(590);
    expect(body.expires_in).toBeLessThanOrEqual(600);
    const ends = await harness.query(
      'select 1 from access_tokens t join api_keys k on k.id = t.api_key_id where t.expires_at = k.expires_at',
    );
    expect(ends).toHaveLength(1);
  });

  test('sweeps out the expired ones of its key, and no others', async () => {
    const other = await givenKey('read');
    const past = `now() - interval '1 minute'`;
    await harness.query(
      `insert into access_tokens (digest, api_key_id, scope, created_at, expires_at) values
        (sha256('1'), $1, 'read', ${past}, ${past}), (sha256('2'), $1, 'read', ${past}, now() + interval '1 minute'),
        (sha256('3'), $2, 'read', ${past}, ${past})`,
      [ledger.keyId, other.keyId],
    );

    await askToken(served, { ...inForm(ledger), client_secret: other.headers['X-Api-Key'] });
    expect(await storedTokens()).toHaveLength(3);
    await askToken(served, inForm(ledger));

    const left = (await storedTokens()).map((token) => token.api_key_id);
    expect(left.toSorted()).toEqual([ledger.keyId, ledger.keyId, other.keyId].toSorted());
  });

  test('counts as a use of its key', async () => {
    const own = await serve(harness.runtime);
    await askToken(own, inForm(ledger));
    await own[Symbol.asyncDispose]();

    const used = await harness.query('select 1 from api_keys where last_used_at is not null');
    expect(used).toHaveLength(1);
  });
});

describe('a client is refused', () => {
  test.each<[string, (key: Ledger) => Promise<Record<string, string>> | Record<string, string>]>([
    [
      'with another key',
      async (key) => ({ ...inForm(key), client_secret: (await givenLedger(harness)).headers['X-Api-Key'] }),
    ],
    ['with an unknown key', (key) => ({ ...inForm(key), client_secret: `fin_${'a'.repeat(43)}` })],
    ['with a malformed key', (key) => ({ ...inForm(key), client_secret: 'hunter2' })],
    ['with a malformed id', (key) => ({ ...inForm(key), client_id: `${key.keyId}' or true --` })],
    ['with an unknown id', (key) => ({ ...inForm(key), client_id: '0198c000-0000-7000-8000-000000000000' })],
    [
      'after the key was revoked',
      (key) => broken(key, 'update api_keys set revoked_at = now() where id = $1'),
    ],
    ['after the key expired', (key) => broken(key, 'update api_keys set expires_at = now() where id = $1')],
    [
      'after the owner was suspended',
      (key) => broken(key, `update users set suspended_at = now() where id = (${OWNER})`),
    ],
    ['after the owner was deleted', (key) => broken(key, `delete from users where id = (${OWNER})`)],
  ])('%s, with one and the same answer', async (_, form) => {
    const parameters = await form(ledger);

    const answers = [
      await askToken(served, parameters),
      await askToken(served, {}, basic(parameters.client_id ?? '', parameters.client_secret ?? '')),
    ];

    for (const answer of answers) {
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual({
        error: 'invalid_client',
        error_description: 'This is not the id of an API key together with that key',
      });
      expect(answer.headers.get('WWW-Authenticate')).toBe('Basic realm="oauth"');
      expect(answer.headers.get('Cache-Control')).toBe('no-store');
    }
    expect(await storedTokens()).toEqual([]);
  });

  test('whose key is deleted while the token is being issued', async () => {
    const client = new Client({ connectionString: harness.databaseUrl });
    await client.connect();
    await client.query('begin');
    await client.query(`delete from users where id = $1`, [ledger.userId]);

    const asking = askToken(served, inForm(ledger));
    const waiting = () => harness.query(`select 1 from pg_locks where not granted`);
    await expect.poll(waiting).not.toEqual([]);
    await client.query('commit');
    await client.end();

    expect(await asking).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });
});

describe('a request is refused', () => {
  const key = { client_id: 'x', client_secret: 'y' };

  test.each<[number, string, string, Record<string, string>?]>([
    [400, 'invalid_request', ''],
    [400, 'invalid_request', 'client_id=x&client_secret=y'],
    [400, 'invalid_request', 'grant_type=&client_id=x&client_secret=y'],
    [400, 'invalid_request', 'grant_type=client_credentials&grant_type=client_credentials'],
    [400, 'invalid_request', 'grant_type=client_credentials&scope=read&scope=read'],
    [400, 'invalid_request', 'grant_type=client_credentials&x=%00'],
    [400, 'invalid_request', 'grant_type=client_credentials&client_id=x&client_secret=y', basic('x', 'y')],
    [400, 'invalid_request', 'grant_type=client_credentials&client_secret=y', { Authorization: 'Bearer z' }],
    [400, 'invalid_request', 'grant_type=client_credentials&client_id=other', basic('x', 'y')],
    [400, 'unsupported_grant_type', 'grant_type=password&client_id=x&client_secret=y'],
    [400, 'unsupported_grant_type', 'grant_type=authorization_code&code=z', basic('x', 'y')],
    [400, 'unsupported_grant_type', 'grant_type=Client_Credentials', basic('x', 'y')],
    [400, 'invalid_scope', 'grant_type=client_credentials&scope=admin', basic('x', 'y')],
    [400, 'invalid_scope', 'grant_type=client_credentials&scope=read,read_write', basic('x', 'y')],
    [400, 'invalid_scope', 'grant_type=client_credentials&scope=read%20%22%5C', basic('x', 'y')],
    [401, 'invalid_client', 'grant_type=client_credentials'],
    [401, 'invalid_client', 'grant_type=client_credentials&client_id=x'],
    [401, 'invalid_client', 'grant_type=client_credentials&client_secret=y'],
    [401, 'invalid_client', 'grant_type=client_credentials', { Authorization: 'Bearer z' }],
    [401, 'invalid_client', 'grant_type=client_credentials', { Authorization: 'Basic' }],
    [401, 'invalid_client', 'grant_type=client_credentials', { Authorization: 'Basic !' }],
    [401, 'invalid_client', 'grant_type=client_credentials', { Authorization: 'Basic YWJj' }],
    [401, 'invalid_client', 'grant_type=client_credentials', basic('%zz', '%')],
  ])('with %i %s: %s', async (status, error, body, headers = {}) => {
    const answer = await served.ask('/oauth/token', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded;charset=UTF-8', ...headers },
      body,
    });

    expect(answer.status).toBe(status);
    // RFC 6749, section 5.2, allows these characters and no others.
    expect(answer.body).toEqual({
      error,
      error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
    });
    expect(answer.headers.has('WWW-Authenticate')).toBe(status === 401);
    expect(answer.headers.get('Pragma')).toBe('no-cache');
  });

  test('when the scope is more than the key has', async () => {
    const answer = await askToken(served, { ...inForm(ledger), scope: 'read_write' });

    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
    expect(await storedTokens()).toEqual([]);
  });

  test('when Authorization is sent twice', async () => {
    const { Authorization } = basicOf(ledger);
    const answer = await askRaw(served, {
      path: '/oauth/token',
      method: 'POST',
      headers: {
        Authorization: [Authorization, Authorization],
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: Buffer.from('grant_type=client_credentials'),
    });

    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('"invalid_request"') });
  });

  test('when the credentials stand in the query', async () => {
    const query = new URLSearchParams({ grant_type: 'client_credentials', ...inForm(ledger) });

    const answer = await served.ask(`/oauth/token?${query.toString()}`, { method: 'POST' });

    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test.each([
    [405, 'method_not_allowed', { method: 'GET' }],
    [405, 'method_not_allowed', { method: 'PUT', body: new URLSearchParams(key) }],
    [413, 'payload_too_large', { method: 'POST', body: new URLSearchParams({ x: 'y'.repeat(70_000) }) }],
    [
      415,
      'unsupported_media_type',
      {
        method: 'POST',
        body: '{"grant_type":"client_credentials"}',
        headers: { 'Content-Type': 'application/json' },
      },
    ],
    [415, 'unsupported_media_type', { method: 'POST', body: new Uint8Array(3) }],
  ])('with %i %s, in the shape of the API', async (status, error, init) => {
    const answer = await served.ask('/oauth/token', init);

    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ error, message: expect.any(String) });
  });

  test('with what is possible, for a method that is not', async () => {
    const [get, options] = [
      await served.ask('/oauth/token'),
      await served.ask('/oauth/token', { method: 'OPTIONS', headers: { Origin: 'https://evil.example' } }),
    ];

    expect(get.headers.get('Allow')).toBe('OPTIONS, POST');
    expect(options.status).toBe(204);
    expect([...options.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test.each([
    ['is down', 503, 'service_unavailable', Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })],
    ['answers nonsense', 500, 'internal_server_error', new Error('fin_secret')],
  ])('when the database %s', async (_, status, error, failure) => {
    const real = await withoutDatabase();
    await using broken = await serve(withQuery(real, () => Promise.reject(failure)));

    const answer = await askToken(broken, inForm(ledger));

    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error, message: expect.not.stringContaining(failure.message) });
    await real.close();
  });
});

describe('the limit', () => {
  test('is ten a minute and address over all processes, whatever is asked and however it ends', async () => {
    const config = loadConfig({ DATABASE_URL: harness.databaseUrl, SECRET_KEY_BASE });
    const elsewhere = await createRuntime(config, { log: createLog('silent', 2), statementTimeout: 8_000 });
    await using other = await serve(elsewhere);

    const statuses: number[] = [];
    for (let round = 0; round < 2; round += 1) {
      statuses.push((await askToken(served, inForm(ledger))).status);
      statuses.push((await askToken(other, { client_id: 'x', client_secret: 'y' })).status);
      statuses.push((await other.ask('/oauth/token')).status);
      statuses.push((await askToken(served, { grant_type: 'password' })).status);
      statuses.push((await other.ask('/oauth/token', { method: 'POST', body: 'x' })).status);
    }
    const refusals = [await askToken(served, inForm(ledger)), await askToken(other, inForm(ledger))];

    expect(statuses).toEqual([200, 401, 405, 401, 415, 200, 401, 405, 401, 415]);
    for (const { status, headers, body } of refusals) {
      expect(status).toBe(429);
      expect(body).toMatchObject({ error: 'rate_limit_exceeded', details: { limit: 10 } });
      expect(headers.get('Retry-After')).toBe(String(body.details.reset_in_seconds));
      expect(body.details.reset_in_seconds).toBeLessThanOrEqual(60);
    }
    expect(await storedTokens()).toHaveLength(2);
    await elsewhere.close();
  });

  test('is for each address, and over after a minute', async () => {
    const { runtime } = harness;
    const http = { ...runtime.config.http, trustedProxyHops: 1 };
    await using proxied = await serve({ ...runtime, config: { ...runtime.config, http } });
    const from = async (address: string) =>
      (await askToken(proxied, inForm(ledger), { 'X-Forwarded-For': address })).status;
    const fill = (source: string, ended: string) =>
      harness.query(
        `insert into rate_limits values ($1, now() - interval '1 minute', now() + $2::interval, 10)`,
        [source, ended],
      );
    await fill('oauth:192.0.2.1', '5 seconds');
    await fill('oauth:192.0.2.2', '-1 seconds');
    await fill('oauth:2001:db8:0:7::/64', '5 seconds');

    expect(await from('192.0.2.1')).toBe(429);
    expect(await from('::ffff:192.0.2.1')).toBe(429);
    expect(await from('2001:db8:0:7:1:2:3:4')).toBe(429);
    expect(await from('192.0.2.2')).toBe(200);
    expect(await from('192.0.2.3')).toBe(200);
    expect(await from('2001:db8:0:8::1')).toBe(200);
  });
});

test('the description says where tokens are, under APP_URL, and that they open the API', () => {
  const text = JSON.stringify(openApiDocument('https://money.example'));

  expect(JSON.parse(text)).toMatchObject({
    security: [{ ApiKey: [] }, { AccessToken: ['read'] }],
    components: {
      securitySchemes: {
        AccessToken: {
          type: 'oauth2',
          flows: { clientCredentials: { tokenUrl: 'https://money.example/oauth/token' } },
        },
      },
    },
  });
});

test('neither keys nor tokens reach the log, at any level', async () => {
  const { log, lines } = recordingLog('trace');
  await using own = await serve({ ...harness.runtime, log });
  const key = ledger.headers['X-Api-Key'];
  const query = new URLSearchParams(inForm(ledger));

  const { body } = await askToken(own, inForm(ledger));
  await askToken(own, {}, basicOf(ledger));
  await askToken(own, { ...inForm(ledger), client_id: 'x' });
  await own.ask(`/oauth/token?${query.toString()}`, { method: 'POST' });
  await own.ask('/oauth/token', { method: 'PUT', body: query });
  await own.ask('/api/v1/accounts', { headers: { Authorization: `Bearer ${body.access_token}` } });
  await using failing = await serve({ ...withQuery(harness.runtime, failAfterCounting()), log });
  const failed = await askToken(failing, inForm(ledger));
  await turn();

  expect(failed.status).toBe(500);
  expect(lines.filter(({ event }) => event === 'request')).toHaveLength(7);
  const text = JSON.stringify(lines);
  for (const secret of [key, body.access_token, basicOf(ledger).Authorization, hash('sha256', key)]) {
    expect(text).not.toContain(secret);
  }
});

function failAfterCounting() {
  let asked = 0;
  return async () => {
    asked += 1;
    if (asked === 1) return { rows: [{ count: 2, reset: 60 }] };
    throw new Error('boom');
  };
}

test('no request whatever is answered with a server error', async () => {
  const { runtime } = harness;
  const http = { ...runtime.config.http, trustedProxyHops: 1 };
  await using proxied = await serve({ ...runtime, config: { ...runtime.config, http } });
  let sender = 0;
  const header = fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
    maxLength: 60,
  });
  const authorization = fc.oneof(
    header,
    fc
      .tuple(fc.constantFrom('Basic ', 'basic  ', 'Bearer ', 'Digest '), header)
      .map((parts) => parts.join('')),
    fc
      .tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }))
      .map(([id, secret]) => basic(id, secret).Authorization),
  );
  const part = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('read', 'client_credentials', ledger.keyId, ledger.headers['X-Api-Key']),
  );
  const name = fc.constantFrom('grant_type', 'client_id', 'client_secret', 'scope', 'x');
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 80 }),
    fc
      .array(fc.tuple(name, part), { maxLength: 6 })
      .map((pairs) => Buffer.from(new URLSearchParams(pairs).toString())),
  );
  const type = fc.oneof(header, fc.constant('application/x-www-form-urlencoded'));

  await fc.assert(
    fc.asyncProperty(authorization, type, body, async (Authorization, contentType, bytes) => {
      sender += 1;
      const headers = {
        Authorization,
        'Content-Type': contentType,
        'X-Forwarded-For': `10.0.${sender >> 8}.${sender & 255}`,
      };
      const { status, text } = await askRaw(proxied, {
        path: '/oauth/token',
        method: 'POST',
        headers,
        body: bytes,
      });
      expect([200, 400, 401, 415]).toContain(status);
      expect(JSON.parse(text)).toEqual(
        expect.objectContaining(status === 200 ? { token_type: 'Bearer' } : { error: expect.any(String) }),
      );
    }),
    { numRuns: 400 },
  );
});
