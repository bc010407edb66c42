import { describe, expect, test } from 'vitest';
import { auditLog, givenPerson, PASSWORD, serveWith } from '#test/http/people.ts';
import { type Served, serve } from '#test/http/serve.ts';
import { type Visited, visit } from '#test/http/visitor.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();

const JSON_TYPE = { 'Content-Type': 'application/json' };

async function signInByForm(served: Served, email: string, password = PASSWORD): Promise<Visited> {
  const visitor = visit(served);
  const page = await visitor.get('/sessions/new');
  return visitor.submit(page, '/sessions', { email, password });
}

function signInByJson(served: Served, body: unknown, headers: Record<string, string> = {}) {
  return served.ask('/sessions', {
    method: 'POST',
    headers: { ...JSON_TYPE, Accept: 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** What the log says of sign-ins, oldest first. */
async function recorded() {
  const entries = await auditLog(harness);
  return entries
    .filter(({ event_type }) => String(event_type).startsWith('log'))
    .map(({ event_type, user_id, metadata }) => ({ event_type, user_id, ...Object(metadata) }));
}

describe('signing in with a form', () => {
  test('leads to the page first asked for, with a cookie that scripts and other sites cannot use', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const visitor = visit(served);

    const sent = await visitor.get('/settings/security?x=1');
    const form = await visitor.follow(sent);
    const credentials = { email: ` ${ada.email.toUpperCase()} `, password: PASSWORD };
    const answer = await visitor.submit(form, '/sessions', credentials);

    expect(sent).toMatchObject({
      status: 303,
      location: '/sessions/new?notice=sign_in_first&return_to=%2Fsettings%2Fsecurity%3Fx%3D1',
    });
    expect(form.text).toContain('Sign in to go on.');
    expect(answer).toMatchObject({ status: 303, location: '/settings/security?x=1' });
    const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('finance.session='));
    expect(cookie).toMatch(/^finance\.session=[\w-]{43}; path=\/; expires=[^;]+; samesite=lax; httponly$/i);
  });

  test('shows one text for every kind of wrong, and records which it was', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const keyOnly = await givenPerson(harness, { password: null });
    const suspended = await givenPerson(harness);
    await harness.query('update users set suspended_at = now() where id = $1', [suspended.id]);
    const visitor = visit(served);
    const attempt = async (email: string, password: string) => {
      const page = await visitor.get('/sessions/new');
      const answer = await visitor.submit(page, '/sessions', { email, password });
      return {
        status: answer.status,
        text: answer.text.replaceAll(email, 'EMAIL'),
        cookies: visitor.cookies.size,
      };
    };

    const answers = [
      await attempt(ada.email, 'not the password'),
      await attempt('nobody@example.com', PASSWORD),
      await attempt(keyOnly.email, PASSWORD),
      await attempt(suspended.email, PASSWORD),
      await attempt(ada.email, ''),
      await attempt(ada.email, 'x'.repeat(20_000)),
    ];

    const [first] = answers;
    expect(first).toMatchObject({ status: 422, cookies: 1 });
    expect(first?.text).toContain('Email or password is wrong');
    expect(answers).toEqual(answers.map(() => first));
    expect((await recorded()).slice(-6).map(({ reason, user_id }) => [reason, user_id])).toEqual([
      ['wrong_password', ada.id],
      ['unknown_user', null],
      ['no_password', keyOnly.id],
      ['suspended', suspended.id],
      ['wrong_password', ada.id],
      ['wrong_password', ada.id],
    ]);
  });

  test('records whence it came, and nothing of the password', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const headers = { 'User-Agent': 'Netscape\u00a0"x"', 'X-Request-Id': 'the-request' };

    await signInByJson(served, { email: ada.email, password: PASSWORD }, headers);
    await signInByJson(served, { email: ada.email, password: 'hunter2 hunter2' }, headers);

    const entries = (await auditLog(harness)).slice(-2);
    expect(entries).toMatchObject([
      {
        event_type: 'login',
        user_id: ada.id,
        actor_id: ada.id,
        actor_kind: 'web',
        ip_address: '127.0.0.1',
        request_id: 'the-request',
        metadata: { method: 'local' },
      },
      {
        event_type: 'login_failed',
        metadata: { method: 'local', reason: 'wrong_password', email: ada.email },
      },
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/hunter2|private sentence/);
  });

  test.each(['email', 'password'])('names the %s that is missing', async (field) => {
    await using served = await serve(harness.runtime);

    const { status, body } = await signInByJson(served, {
      email: 'a@example.com',
      password: 'x',
      [field]: undefined,
    });

    expect(status).toBe(422);
    expect(body.errors).toEqual([`${field}: must be given`]);
  });
});

describe('signing in with JSON', () => {
  test('answers with the user and a session', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness, { role: 'admin' });

    const { status, body, headers } = await signInByJson(served, { email: ada.email, password: PASSWORD });

    expect(status).toBe(200);
    expect(body).toEqual({ user: { id: ada.id, email: ada.email, role: 'admin' } });
    const cookie = headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    const page = await served.ask('/settings/security', { headers: { Cookie: cookie } });
    expect(page.status).toBe(200);
    const gone = await served.ask('/sessions', { method: 'DELETE', headers: { Cookie: cookie } });
    expect(gone.status).toBe(204);
    expect((await served.ask('/settings/security', { headers: { Cookie: cookie } })).status).toBe(303);
    expect((await recorded()).map(({ event_type }) => event_type)).toEqual(['login', 'logout']);
  });

  test('refuses wrong credentials with 401', async () => {
    await using served = await serve(harness.runtime);

    const { status, body } = await signInByJson(served, { email: 'nobody@example.com', password: PASSWORD });

    expect(status).toBe(401);
    expect(body).toEqual({ error: 'invalid_credentials', message: 'Email or password is wrong' });
  });

  test.each([
    ['an object', { email: { $ne: '' }, password: PASSWORD }, 'email: must be a string'],
    ['a list', { email: ['a@example.com'], password: PASSWORD }, 'email: must be a string'],
    ['a number', { email: 'a@example.com', password: 1 }, 'password: must be a string'],
    ['a NUL', { email: 'a\0@example.com', password: PASSWORD }, 'email: must be plain text'],
    ['no object', ['email'], 'the body: must be a JSON object'],
  ])('refuses %s in a field', async (_, body, problem) => {
    await using served = await serve(harness.runtime);

    const answer = await signInByJson(served, body);

    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual([problem]);
  });

  test.each([
    ['{"email":', 422, 'application/json'],
    ['email=a', 415, 'text/plain'],
    ['', 415, ''],
  ])('refuses the body %j with %i', async (body, status, type) => {
    await using served = await serve(harness.runtime);

    const answer = await served.ask('/sessions', {
      method: 'POST',
      headers: { Accept: 'application/json', 'Content-Type': type },
      body,
    });

    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain('email=a');
  });
});

describe('who may sign in with a password', () => {
  const OFF = 'Signing in with a password is turned off';

  test.each([
    { localLogin: true, adminOverride: false, form: true, member: 200, superAdmin: 200, override: undefined },
    { localLogin: true, adminOverride: true, form: true, member: 200, superAdmin: 200, override: undefined },
    {
      localLogin: false,
      adminOverride: false,
      form: false,
      member: 403,
      superAdmin: 403,
      override: undefined,
    },
    { localLogin: false, adminOverride: true, form: true, member: 403, superAdmin: 200, override: true },
  ])(
    'local login $localLogin, override $adminOverride',
    async ({ form, member, superAdmin, override, ...auth }) => {
      await using served = await serveWith(harness, { auth: { ...harness.runtime.config.auth, ...auth } });
      const root = await givenPerson(harness, { role: 'super_admin' });
      const ada = await givenPerson(harness, { role: 'admin' });

      const page = await visit(served).get('/sessions/new');
      const answers = [
        await signInByJson(served, { email: ada.email, password: PASSWORD }),
        await signInByJson(served, { email: root.email, password: PASSWORD }),
      ];

      expect(page.status).toBe(200);
      expect(page.root.querySelector('input[type=password]') !== null).toBe(form);
      expect(page.text.includes('Only super admins')).toBe(override === true);
      expect(page.text.includes('/password_reset')).toBe(auth.localLogin);
      expect(answers.map(({ status }) => status)).toEqual([member, superAdmin]);
      for (const { body } of answers.filter(({ status }) => status === 403)) {
        expect(body).toEqual({ error: 'local_login_disabled', message: OFF });
      }
      const entries = await recorded();
      expect(
        entries.filter(({ event_type }) => event_type === 'login').map((entry) => entry.override),
      ).toEqual(answers.filter(({ status }) => status === 200).map(() => override));
      expect(
        entries.filter(({ event_type }) => event_type === 'login_failed').map(({ reason }) => reason),
      ).toEqual(answers.filter(({ status }) => status === 403).map(() => 'local_login_disabled'));
    },
  );

  test('sends a form that was open before back to the page, whatever the password', async () => {
    await using open = await serve(harness.runtime);
    await using closed = await serveWith(harness, {
      auth: { localLogin: false, adminOverride: false },
    });
    const ada = await givenPerson(harness);
    const visitor = visit(open);
    const page = await visitor.get('/sessions/new');
    const elsewhere = visit(closed);
    for (const [name, value] of visitor.cookies) elsewhere.cookies.set(name, value);

    const answers = [
      await elsewhere.submit(page, '/sessions', { email: ada.email, password: PASSWORD }),
      await elsewhere.submit(page, '/sessions', { email: ada.email, password: 'wrong wrong wrong' }),
    ];

    const location = '/sessions/new?notice=local_login_disabled';
    expect(answers).toMatchObject([
      { status: 303, location },
      { status: 303, location },
    ]);
    expect((await elsewhere.follow(answers[0] as Visited)).text).toContain(OFF);
  });

  test('refuses a form without a token too, which nobody can have got, and records the first of many', async () => {
    await using served = await serveWith(harness, { auth: { localLogin: false, adminOverride: false } });
    const ada = await givenPerson(harness);
    const body = new URLSearchParams({ email: ada.email, password: PASSWORD }).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };

    const answer = await visit(served).send('/sessions', { method: 'POST', headers, body });
    const foreign = await visit(served).send('/sessions', {
      method: 'POST',
      headers: { ...headers, Origin: 'https://evil.test' },
      body,
    });
    for (let n = 0; n < 15; n += 1) await visit(served).send('/sessions', { method: 'POST', headers, body });

    expect(answer).toMatchObject({ status: 303, location: '/sessions/new?notice=local_login_disabled' });
    expect(foreign.status).toBe(403);
    expect(await recorded()).toHaveLength(11);
  });

  test('does not tell strangers who is a super admin while the override is on', async () => {
    await using served = await serveWith(harness, { auth: { localLogin: false, adminOverride: true } });
    const root = await givenPerson(harness, { role: 'super_admin' });
    const ada = await givenPerson(harness);

    const answers = [
      await signInByForm(served, root.email, 'a guess that is wrong'),
      await signInByForm(served, ada.email, 'a guess that is wrong'),
      await signInByForm(served, 'nobody@example.com', 'a guess that is wrong'),
    ];

    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422]);
    expect((await signInByForm(served, ada.email)).location).toBe(
      '/sessions/new?notice=local_login_disabled',
    );
  });
});

describe('guessing', () => {
  test('is stopped for one account after ten failures, over all processes, and says for how long', async () => {
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const guess = (served: Served) => signInByForm(served, ada.email, 'a guess that is wrong');
    for (let n = 0; n < 5; n += 1) await Promise.all([guess(first), guess(second)]);

    const refused = await signInByForm(second, ada.email);
    const again = await signInByJson(first, { email: ada.email, password: PASSWORD });

    expect(refused.status).toBe(429);
    expect(refused.text).toContain('Too many failed attempts. Come back in 15 minutes.');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    expect(again.body).toMatchObject({ error: 'rate_limit_exceeded', details: { limit: 10 } });
    const reasons = (await recorded()).map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason === 'wrong_password')).toHaveLength(10);
    expect(reasons.filter((reason) => reason === 'throttled')).toHaveLength(1);
  });

  test('is stopped for one address after thirty failures at many accounts', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const guesses = Array.from({ length: 30 }, (_, n) =>
      signInByJson(served, { email: `${n}@example.com`, password: PASSWORD }),
    );
    await Promise.all(guesses);

    const refused = await signInByJson(served, { email: ada.email, password: PASSWORD });

    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
  });

  test('never locks out for good, and starts anew after the right password', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    for (let n = 0; n < 11; n += 1)
      await signInByJson(served, { email: ada.email, password: 'a guess that is wrong' });
    await harness.query(
      `update rate_limits set window_start = now() - interval '1 hour', window_end = now()`,
    );

    const right = await signInByForm(served, ada.email);
    const counted = await harness.query(`select 1 from rate_limits where key like 'login-account:%'`);

    expect(right.status).toBe(303);
    expect(counted).toEqual([]);
  });

  test('takes the same work for somebody who does not exist', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const keyOnly = await givenPerson(harness, { password: null });
    const work = async (email: string) => {
      const before = process.cpuUsage();
      await signInByJson(served, { email, password: 'a guess that is wrong' });
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    await work(ada.email);

    const spent = { known: 0, unknown: 0, withoutPassword: 0 };
    for (let n = 0; n < 5; n += 1) {
      spent.known += await work(ada.email);
      spent.unknown += await work('nobody@example.com');
      spent.withoutPassword += await work(keyOnly.email);
    }

    // Without the hash it would be a tenth.
    expect(spent.unknown).toBeGreaterThan(spent.known / 2);
    expect(spent.withoutPassword).toBeGreaterThan(spent.known / 2);
  });
});

describe('a body', () => {
  test.each([
    [
      '{"email":"a@example.com","email":"b@example.com","password":"x"}',
      {},
      422,
      'the body: has a field more than once',
    ],
    [Buffer.from('{"email":"\xff","password":"x"}', 'latin1'), {}, 422, 'the body: is not UTF-8'],
    ['{"email":"a@example.com","password":"x"}', { 'Content-Encoding': 'gzip' }, 415, undefined],
    ['{}', { 'Content-Type': 'application/json; charset=utf-16' }, 415, undefined],
  ])('%s with %o is refused with %i', async (body, headers, status, problem) => {
    await using served = await serve(harness.runtime);

    const answer = await served.ask('/sessions', {
      method: 'POST',
      headers: { ...JSON_TYPE, Accept: 'application/json', ...headers },
      body,
    });

    expect(answer.status).toBe(status);
    if (problem) expect(answer.body.errors).toEqual([problem]);
  });

  test('may hold colons, quotes and brackets in its texts', async () => {
    await using served = await serve(harness.runtime);
    const password = 'a": "b\\", {"c": :';
    const ada = await givenPerson(harness, { password });

    expect((await signInByJson(served, { email: ada.email, password })).status).toBe(200);
  });
});
