import { describe, expect, test } from 'vitest';
import { auditLog, givenPerson, PASSWORD, serveWith, signIn } from '#test/http/people.ts';
import { serve } from '#test/http/serve.ts';
import { type Visited, type Visitor, visit } from '#test/http/visitor.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();

const PATH = '/settings/security';
const NEW = 'quite another private sentence';

async function change(visitor: Visitor, values: Record<string, string> = {}): Promise<Visited> {
  return visitor.submit(await visitor.get(PATH), '/settings/password', {
    current_password: PASSWORD,
    new_password: NEW,
    new_password_again: NEW,
    ...values,
  });
}

async function changes() {
  return (await auditLog(harness)).filter(({ event_type }) => event_type === 'password_changed');
}

/** What this test has added to the failed sign-ins. */
const failures = () =>
  harness.query(
    `select user_id, actor_id, metadata from (select * from audit_events order by created_at, id offset $1) e
     where event_type = 'login_failed'`,
    [harness.auditedBefore],
  );

const isIn = async (visitor: Visitor) => (await visitor.get(PATH)).status === 200;

/** The problems at the top of a page and the inputs they lead to, which must exist and be marked. */
function problemsOf({ root }: Visited): [string, string][] {
  return root.querySelectorAll('.problems a').map((link) => {
    const id = link.getAttribute('href')?.slice(1) ?? '';
    expect(root.querySelector(`input#${id}`)?.getAttribute('aria-invalid')).toBe('true');
    return [id, link.text];
  });
}

describe('the security page', () => {
  test('says who one is', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness, { role: 'admin' });
    await harness.query(`update users set first_name = '<b>Ada', last_name = 'Byron' where id = $1`, [
      ada.id,
    ]);

    const page = await (await signIn(served, ada)).get(PATH);

    expect(page.status).toBe(200);
    expect(page.root.querySelectorAll('dl.facts dd').map((fact) => fact.innerHTML)).toEqual([
      ada.email,
      '&lt;b&gt;Ada Byron',
      'Family admin',
    ]);
  });

  test('tells browsers which password is which, and whose', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);

    const page = await (await signIn(served, ada)).get(PATH);

    const inputs = page.root.querySelectorAll('form[action="/settings/password"] input[autocomplete]');
    expect(inputs.map((input) => [input.getAttribute('type'), input.getAttribute('autocomplete')])).toEqual([
      ['text', 'username'],
      ['password', 'current-password'],
      ['password', 'new-password'],
      ['password', 'new-password'],
    ]);
    expect(inputs[0]?.getAttribute('value')).toBe(ada.email);
  });

  test('is for people who are signed in', async () => {
    await using served = await serve(harness.runtime);

    for (const [path, method] of [
      [PATH, 'GET'],
      ['/settings/password', 'POST'],
      ['/settings/sessions/end_others', 'POST'],
      ['/settings/sessions/x/end', 'POST'],
    ] as const) {
      const answer = await served.ask(path, { method, headers: { Accept: 'text/html' } });
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toMatch(/^\/sessions\/new\?notice=sign_in_first/);
    }
  });
});

describe('changing the password', () => {
  test('keeps this session, ends the others in every process, voids reset links, and is on record', async () => {
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const [here, elsewhere] = [await signIn(first, ada), await signIn(second, ada)];
    const stranger = await signIn(second, await givenPerson(harness));
    await harness.query(
      `insert into password_resets values (sha256('x'), $1, now(), now() + interval '1 hour')`,
      [ada.id],
    );

    const answer = await change(here);

    expect(answer).toMatchObject({ status: 303, location: `${PATH}?notice=password_changed` });
    const page = await here.follow(answer);
    expect(page.root.querySelector('.notice')?.text).toContain('Your password is changed');
    expect(await isIn(elsewhere)).toBe(false);
    expect(await isIn(stranger)).toBe(true);
    expect(await harness.query('select 1 from password_resets')).toEqual([]);
    expect(await changes()).toMatchObject([
      { user_id: ada.id, actor_id: ada.id, actor_kind: 'web', ip_address: '127.0.0.1', metadata: {} },
    ]);
    await expect(signIn(first, ada)).rejects.toThrow('answered 422');
    expect(await isIn(await signIn(first, ada, NEW))).toBe(true);
  });

  test.each([
    [
      'a wrong current password',
      { current_password: 'a guess' },
      'current_password',
      'The current password is wrong',
    ],
    ['no current password', { current_password: '' }, 'current_password', 'The current password is wrong'],
    [
      'a short one',
      { new_password: 'short', new_password_again: 'short' },
      'new_password',
      'A password must have 12 to 256 characters',
    ],
    [
      'a common one',
      { new_password: 'passwordpassword', new_password_again: 'passwordpassword' },
      'new_password',
      'This password is easily guessed',
    ],
    [
      'the one it is',
      { new_password: PASSWORD, new_password_again: PASSWORD },
      'new_password',
      'The new password must differ from the current one',
    ],
    [
      'two different ones',
      { new_password_again: `${NEW}!` },
      'new_password_again',
      'The two new passwords are not the same',
    ],
  ])('refuses %s where it was typed, and changes nothing', async (_, values, field, message) => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const [here, elsewhere] = [await signIn(served, ada), await signIn(served, ada)];

    const answer = await change(here, values);

    expect(answer.status).toBe(422);
    const [problem] = problemsOf(answer);
    expect(problem?.[0]).toBe(field);
    expect(problem?.[1]).toContain(message);
    expect(answer.root.querySelectorAll('input[type=password][value]')).toEqual([]);
    expect(await changes()).toEqual([]);
    expect(await isIn(elsewhere)).toBe(true);
    expect(await isIn(await signIn(served, ada))).toBe(true);
  });

  test('shares its limit of guesses with signing in, over all processes', async () => {
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const here = await signIn(first, ada);
    for (let n = 0; n < 10; n += 1) await change(here, { current_password: 'a guess' });

    const refused = await change(here);

    expect(refused.status).toBe(429);
    expect(problemsOf(refused)).toEqual([
      ['current_password', 'Too many failed attempts. Come back in 15 minutes.'],
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    await expect(signIn(second, ada)).rejects.toThrow('answered 429');
    expect(await changes()).toEqual([]);
    const failure = (reason: string) => ({
      user_id: ada.id,
      actor_id: ada.id,
      metadata: { method: 'local', email: ada.email, reason, during: 'password_change' },
    });
    expect(await failures()).toEqual([
      ...Array.from({ length: 10 }, () => failure('wrong_password')),
      failure('throttled'),
    ]);
  });

  test('starts counting anew after the right password', async () => {
    await using served = await serve(harness.runtime);
    const here = await signIn(served, await givenPerson(harness));
    await change(here, { current_password: 'a guess' });

    await change(here);

    expect(await harness.query(`select 1 from rate_limits where key like 'login-account:%'`)).toEqual([]);
  });

  test('is refused when somebody else has changed it in the meantime', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const here = await signIn(served, ada);
    const client = await harness.runtime.pool.connect();
    await client.query('begin');
    await client.query('update users set password_digest = $2 where id = $1', [ada.id, 'another']);

    const answering = change(here);
    // It waits for the row, behind the change that is not yet saved.
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(() => harness.query(waiting), { timeout: 5_000 }).not.toEqual([]);
    await client.query('commit');
    client.release();

    expect((await answering).status).toBe(422);
    expect(await changes()).toEqual([]);
    expect(await harness.query('select password_digest from users where id = $1', [ada.id])).toEqual([
      { password_digest: 'another' },
    ]);
  });

  test('cannot be done without the token of the form', async () => {
    await using served = await serve(harness.runtime);
    const here = await signIn(served, await givenPerson(harness));

    const answer = await here.send('/settings/password', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        current_password: PASSWORD,
        new_password: NEW,
        new_password_again: NEW,
      }).toString(),
    });

    expect(answer.status).toBe(403);
    expect(await changes()).toEqual([]);
  });
});

describe('whose password can be changed', () => {
  test.each([
    { role: 'member', localLogin: true, adminOverride: false, possible: true },
    { role: 'member', localLogin: false, adminOverride: true, possible: false },
    { role: 'member', localLogin: false, adminOverride: false, possible: false },
    { role: 'super_admin', localLogin: false, adminOverride: true, possible: true },
    { role: 'super_admin', localLogin: false, adminOverride: false, possible: false },
  ])(
    '$role, local login $localLogin, override $adminOverride: $possible',
    async ({ role, possible, ...auth }) => {
      await using open = await serve(harness.runtime);
      await using served = await serveWith(harness, { auth });
      const ada = await givenPerson(harness, { role });
      const visitor = await signIn(open, ada);
      const form = await visitor.get(PATH);
      const there = visit(served);
      for (const [name, value] of visitor.cookies) there.cookies.set(name, value);

      const page = await there.get(PATH);
      const sent = await there.submit(form, '/settings/password', {
        current_password: PASSWORD,
        new_password: NEW,
        new_password_again: NEW,
      });

      expect(page.status).toBe(200);
      expect(page.root.querySelector('input#current_password') !== null).toBe(possible);
      expect(page.text.includes('turned off, so yours cannot be used')).toBe(!possible);
      expect(sent.status).toBe(possible ? 303 : 403);
      expect(await changes()).toHaveLength(possible ? 1 : 0);
    },
  );

  test('not of somebody who has none', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const visitor = await signIn(served, ada);
    const form = await visitor.get(PATH);
    await harness.query('update users set password_digest = null where id = $1', [ada.id]);

    const page = await visitor.get(PATH);
    const sent = await visitor.submit(form, '/settings/password', {
      current_password: '',
      new_password: NEW,
      new_password_again: NEW,
    });

    expect(page.text).toContain('You sign in without a password');
    expect(page.root.querySelector('input[type=password]')).toBeNull();
    expect(sent.status).toBe(403);
    expect(await harness.query('select password_digest from users where id = $1', [ada.id])).toEqual([
      { password_digest: null },
    ]);
  });
});
