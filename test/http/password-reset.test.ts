import { createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createPasswordReset } from '#src/users/create-password-reset.ts';
import { suspendUser } from '#src/users/suspend-user.ts';
import { auditLog, givenPerson, PASSWORD, type Person, serveWith, signIn } from '#test/http/people.ts';
import { recordingLog, type Served, serve } from '#test/http/serve.ts';
import { type Visited, visit } from '#test/http/visitor.ts';
import { type Delivery, useSmtpServer } from '#test/mail/smtp-server.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
const smtpServer = useSmtpServer();

const PATH = '/password_reset';
const CONFIRM = `${PATH}/confirm`;
/** A mail goes out after its answer. */
const SOON = { timeout: 10_000 };
const NEW = 'quite another private sentence';

const mailTo = (port: number) => ({
  mail: { smtpUrl: `smtp://127.0.0.1:${port}`, from: 'finance@example.com' },
});

/** The text of a mail as people read it (RFC 2045, section 6.7). */
function textOf({ data }: Delivery): string {
  const [, ...body] = data.split('\n\n');
  return body
    .join('\n\n')
    .replaceAll('=\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

const linkIn = (mail: Delivery) =>
  /\S+\/password_reset\/confirm\?token=[\w-]{43}/.exec(textOf(mail))?.[0] ?? '';

async function ask(served: Pick<Served, 'url'>, email: string): Promise<Visited> {
  const visitor = visit(served);
  return visitor.submit(await visitor.get(PATH), PATH, { email });
}

/** The path of a link that has just been made for this person. */
async function givenLink({ email }: Person): Promise<string> {
  const { token } = await harness.perform((work) => createPasswordReset(work, { user: email }));
  return `${CONFIRM}?token=${token}`;
}

async function choose(
  served: Pick<Served, 'url'>,
  link: string,
  values: Record<string, string> = {},
): Promise<Visited> {
  const visitor = visit(served);
  const page = await visitor.get(link);
  return visitor.submit(page, CONFIRM, { new_password: NEW, new_password_again: NEW, ...values });
}

const resets = () => harness.query<{ user_id: string }>('select user_id from password_resets');
const typesOf = async () => (await auditLog(harness)).map(({ event_type }) => event_type);

describe('asking for a link', () => {
  test('brings a mail whose link lets one choose a new password', async () => {
    const { port, deliveries } = await smtpServer();
    await using served = await serveWith(harness, {
      ...mailTo(port),
      http: { ...harness.runtime.config.http, appUrl: 'https://money.example' },
    });
    await using plain = await serveWith(harness, mailTo(port));
    const ada = await givenPerson(harness);

    const visitor = visit(served, 'https://money.example');
    const form = await visitor.get(PATH, { 'X-Forwarded-Host': 'evil.test', 'X-Forwarded-Proto': 'http' });
    const answer = await visitor.submit(form, PATH, { email: ` ${ada.email.toUpperCase()}` });
    await expect.poll(() => deliveries, SOON).toHaveLength(1);

    expect(answer).toMatchObject({ status: 303, location: `${PATH}/sent` });
    expect((await visitor.follow(answer)).text).toContain('a mail is on its way');
    const [mail = { from: '', to: [], data: '' }] = deliveries;
    expect(mail.to).toEqual([ada.email]);
    expect(mail.data).toMatch(/^Content-Type: text\/plain; charset=utf-8$/m);
    const link = linkIn(mail);
    expect(link).toMatch(/^https:\/\/money\.example\/password_reset\/confirm\?token=/);
    expect(textOf(mail)).toContain('within 15 minutes');
    expect(textOf(mail).match(/https?:/g)).toHaveLength(2);
    const chosen = await choose(plain, link.replace('https://money.example', ''));
    expect(chosen).toMatchObject({ status: 303, location: '/sessions/new?notice=password_reset' });
    expect((await signIn(plain, ada, NEW)).cookies.size).toBeGreaterThan(0);
    expect(
      (await auditLog(harness)).filter(({ event_type }) => /password/.test(String(event_type))),
    ).toMatchObject([
      { event_type: 'password_reset_requested', user_id: ada.id, actor_id: null, actor_kind: 'web' },
      { event_type: 'password_changed', user_id: ada.id, actor_id: null, metadata: { via: 'reset' } },
    ]);
  });

  test('is answered the same for whoever it is', async () => {
    const { port, deliveries } = await smtpServer();
    const { log, lines } = recordingLog('info');
    await using served = await serve({
      ...harness.runtime,
      log,
      config: { ...harness.runtime.config, ...mailTo(port) },
    });
    const ada = await givenPerson(harness);
    const suspended = await givenPerson(harness);
    await harness.query('update users set suspended_at = now() where id = $1', [suspended.id]);
    const keyOnly = await givenPerson(harness, { password: null });
    const emails = ['nobody@example.com', suspended.email, keyOnly.email, ada.email];

    const answers: object[] = [];
    for (const email of emails) {
      const { status, headers, text } = await ask(served, email);
      answers.push({ status, location: headers.get('location'), text, headers: [...headers.keys()] });
    }
    await expect.poll(() => deliveries, SOON).toHaveLength(1);

    expect(answers[0]).toMatchObject({ status: 303, location: `${PATH}/sent` });
    expect(answers).toEqual(answers.map(() => answers[0]));
    expect(deliveries.map(({ to }) => to)).toEqual([[ada.email]]);
    expect(await resets()).toEqual([{ user_id: ada.id }]);
    expect((await typesOf()).filter((type) => type === 'password_reset_requested')).toHaveLength(1);
    expect(lines).toEqual([]);
  });

  test('is answered before anything is looked up, so that its time tells nothing', async () => {
    const { port, deliveries } = await smtpServer();
    await using served = await serveWith(harness, mailTo(port));
    const ada = await givenPerson(harness);
    const client = await harness.runtime.pool.connect();
    await client.query('begin');
    await client.query('select 1 from users where id = $1 for update', [ada.id]);

    const answer = await ask(served, ada.email);
    await client.query('rollback');
    client.release();

    expect(answer.location).toBe(`${PATH}/sent`);
    await expect.poll(() => deliveries, SOON).toHaveLength(1);
  });

  test('is answered while the mail server says nothing', async () => {
    const reached = Promise.withResolvers<Socket>();
    const silent = createServer(reached.resolve);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = Object(silent.address());
    await using served = await serveWith(harness, mailTo(port));
    const ada = await givenPerson(harness);

    const answer = await ask(served, ada.email);
    const socket = await reached.promise;

    expect(answer.location).toBe(`${PATH}/sent`);
    socket.destroy();
    silent.close();
  });

  test('logs that a mail could not be sent, without whose it is', async () => {
    const { port } = await smtpServer({ answers: { RCPT: '550 no such user' } });
    const { log, lines } = recordingLog('debug');
    await using served = await serve({
      ...harness.runtime,
      log,
      config: { ...harness.runtime.config, ...mailTo(port) },
    });
    const ada = await givenPerson(harness);

    const answer = await ask(served, ada.email);
    const failures = () => lines.filter(({ event }) => event === 'password_reset_mail_failed');
    await expect.poll(failures, SOON).toHaveLength(1);

    expect(failures()).toMatchObject([
      {
        level: 'error',
        request_id: answer.headers.get('x-request-id'),
        reason: expect.stringContaining('550'),
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain(ada.email);
  });

  test.each(['', 'ada', 'ada@', 'a@b@c', `${'a'.repeat(255)}@example.com`])(
    'refuses %j, which is nobody’s address',
    async (email) => {
      const { port } = await smtpServer();
      await using served = await serveWith(harness, mailTo(port));

      const answer = await ask(served, email);

      expect(answer.status).toBe(422);
      expect(answer.root.querySelector('.problems a[href="#email"]')?.text).toContain(
        'is not an email address',
      );
      expect(answer.root.querySelector('input#email')?.getAttribute('value')).toBe(email);
    },
  );

  test('needs the token of the form', async () => {
    const { port } = await smtpServer();
    await using served = await serveWith(harness, mailTo(port));

    const answer = await served.ask(PATH, {
      method: 'POST',
      body: new URLSearchParams({ email: 'a@example.com' }),
    });

    expect(answer.status).toBe(403);
  });

  test('sends one account three mails at most, over all processes, and does not say so', async () => {
    const { port, deliveries } = await smtpServer();
    await using first = await serveWith(harness, mailTo(port));
    await using second = await serveWith(harness, mailTo(port));
    const ada = await givenPerson(harness);
    const bob = await givenPerson(harness);

    const answers: Visited[] = [];
    for (const served of [first, second, first, second, first]) answers.push(await ask(served, ada.email));
    await ask(first, bob.email);
    await expect.poll(() => deliveries.filter(({ to }) => to[0] === bob.email), SOON).toHaveLength(1);

    expect(answers.map(({ location }) => location)).toEqual(Array(5).fill(`${PATH}/sent`));
    expect(deliveries.filter(({ to }) => to[0] === ada.email)).toHaveLength(3);
    await harness.query(
      `update rate_limits set window_start = now() - interval '1 hour', window_end = now()`,
    );
    await ask(first, ada.email);
    await expect.poll(() => deliveries.filter(({ to }) => to[0] === ada.email), SOON).toHaveLength(4);
  });

  test('is limited for one address, over all processes, and says when to come back', async () => {
    const { port, deliveries } = await smtpServer();
    await using first = await serveWith(harness, mailTo(port));
    await using second = await serveWith(harness, mailTo(port));
    const ada = await givenPerson(harness);
    for (let n = 0; n < 10; n += 1) await ask(n % 2 ? first : second, `${n}@example.com`);

    const refused = await ask(second, ada.email);

    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    expect(refused.root.querySelector('.problems')?.text).toContain(
      'Too many requests. Come back in 15 minutes.',
    );
    expect(deliveries).toEqual([]);
    expect(await resets()).toEqual([]);
  });

  test('says whom to ask where no mail can be sent', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const visitor = visit(served);
    const login = await visitor.get('/sessions/new');
    const token = login.root.querySelector('input[name=csrf_token]')?.getAttribute('value') ?? '';

    const page = await visitor.get(PATH);
    const sent = await visitor.send(PATH, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ csrf_token: token, email: ada.email }).toString(),
    });

    expect(page.status).toBe(200);
    expect(page.text).toContain('Ask your administrator');
    expect(page.text).toContain('financectl users reset-password');
    expect(page.root.querySelector('form')).toBeNull();
    expect(sent).toMatchObject({ status: 303, location: PATH });
    expect(await resets()).toEqual([]);
  });
});

describe('a link', () => {
  test('is not used up by looking at it', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const link = await givenLink(ada);

    for (const method of ['HEAD', 'GET', 'GET'])
      expect((await served.ask(link, { method })).status).toBe(200);
    const page = await visit(served).get(link);

    expect(page.text).toContain(ada.email);
    expect(
      page.root
        .querySelectorAll('main input[autocomplete]')
        .map((input) => input.getAttribute('autocomplete')),
    ).toEqual(['username', 'new-password', 'new-password']);
    expect((await choose(served, link)).status).toBe(303);
  });

  test('works once, ends every session, and signs nobody in', async () => {
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const sessions = [await signIn(first, ada), await signIn(second, ada)];
    const link = await givenLink(ada);
    const visitor = visit(first);
    const page = await visitor.get(link);
    const values = { new_password: NEW, new_password_again: NEW };

    const answer = await visitor.submit(page, CONFIRM, values);
    const again = await visitor.submit(page, CONFIRM, {
      new_password: 'a third private sentence',
      new_password_again: 'a third private sentence',
    });

    expect(answer).toMatchObject({ status: 303, location: '/sessions/new?notice=password_reset' });
    expect((await visitor.follow(answer)).text).toContain('Your new password is saved.');
    expect(visitor.cookies.has('finance.session')).toBe(false);
    for (const session of sessions) expect((await session.get('/settings/security')).status).toBe(303);
    expect(again.status).toBe(404);
    expect(again.text).toContain('This link does not work any more');
    await expect(signIn(first, ada)).rejects.toThrow('answered 422');
    await signIn(second, ada, NEW);
  });

  test('works for one of two who use it at the same moment', async () => {
    await using served = await serve(harness.runtime);
    const link = await givenLink(await givenPerson(harness));

    const answers = await Promise.all([choose(served, link), choose(served, link)]);

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303, 404]));
    expect((await typesOf()).filter((type) => type === 'password_changed')).toHaveLength(1);
  });

  test.each([
    ['unknown', async () => `${CONFIRM}?token=${'A'.repeat(43)}`],
    ['malformed', async () => `${CONFIRM}?token=x'`],
    ['missing', async () => CONFIRM],
    ['given twice', async () => `${await givenLink(await givenPerson(harness))}&token=x`],
    [
      'expired',
      async () => {
        const link = await givenLink(await givenPerson(harness));
        await harness.query('update password_resets set expires_at = now()');
        return link;
      },
    ],
    [
      'replaced by a newer one',
      async () => {
        const ada = await givenPerson(harness);
        const link = await givenLink(ada);
        await givenLink(ada);
        return link;
      },
    ],
    [
      'of somebody suspended since',
      async () => {
        const ada = await givenPerson(harness);
        const link = await givenLink(ada);
        await harness.perform((work) => suspendUser(work, { user: ada.email }));
        return link;
      },
    ],
  ])('that is %s says so, and what to do', async (_, given) => {
    await using served = await serve(harness.runtime);
    const link = await given();
    const visitor = visit(served);

    const page = await visitor.get(link);
    const login = await visitor.get('/sessions/new');
    const sent = await visitor.send(CONFIRM, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        csrf_token: login.root.querySelector('input[name=csrf_token]')?.getAttribute('value') ?? '',
        token: new URLSearchParams(link.split('?')[1]).getAll('token').join(),
        new_password: NEW,
        new_password_again: NEW,
      }).toString(),
    });

    expect([page.status, sent.status]).toEqual([404, 404]);
    expect(page.root.querySelector('h1')?.text).toBe('This link does not work any more');
    expect(page.root.querySelector(`main a[href="${PATH}"]`)).not.toBeNull();
    expect(await typesOf()).not.toContain('password_changed');
  });

  test('is void after the password has been changed', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const link = await givenLink(ada);
    const visitor = await signIn(served, ada);
    await visitor.fill('/settings/security', '/settings/password', {
      current_password: PASSWORD,
      new_password: NEW,
      new_password_again: NEW,
    });

    expect((await visit(served).get(link)).status).toBe(404);
  });

  test.each([
    [
      { new_password: 'short', new_password_again: 'short' },
      'new_password',
      'A password must have 12 to 256 characters',
    ],
    [
      { new_password: 'passwordpassword', new_password_again: 'passwordpassword' },
      'new_password',
      'This password is easily guessed',
    ],
    [
      { new_password_again: 'something else' },
      'new_password_again',
      'The two new passwords are not the same',
    ],
  ])('stays good when %j is refused', async (values, field, message) => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const link = await givenLink(ada);

    const refused = await choose(served, link, values);

    expect(refused.status).toBe(422);
    expect(refused.root.querySelector(`.problems a[href="#${field}"]`)?.text).toContain(message);
    expect(refused.root.querySelectorAll('input[type=password][value]')).toEqual([]);
    await signIn(served, ada);
    expect((await choose(served, link)).status).toBe(303);
  });

  test('is not used without the token of the form', async () => {
    await using served = await serve(harness.runtime);
    const link = await givenLink(await givenPerson(harness));

    expect((await choose(served, link, { csrf_token: 'x' })).status).toBe(403);
    expect(await resets()).toHaveLength(1);
  });
});

describe('while people do not sign in with a password', () => {
  test.each([true, false])('all of it leads to the sign-in page, override %s', async (adminOverride) => {
    const { port, deliveries } = await smtpServer();
    await using served = await serveWith(harness, {
      ...mailTo(port),
      auth: { localLogin: false, adminOverride },
    });
    const root = await givenPerson(harness, { role: 'super_admin' });
    const link = await givenLink(root);
    const token = new URLSearchParams(link.split('?')[1]).get('token') ?? '';
    const body = new URLSearchParams({
      email: root.email,
      token,
      new_password: NEW,
      new_password_again: NEW,
    }).toString();

    for (const [method, path] of [
      ['GET', PATH],
      ['POST', PATH],
      ['GET', `${PATH}/sent`],
      ['GET', link],
      ['POST', CONFIRM],
    ] as const) {
      const answer = await visit(served).send(path, {
        method,
        ...(method === 'POST' && { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body }),
      });
      expect(answer).toMatchObject({ status: 303, location: '/sessions/new' });
    }
    expect(deliveries).toEqual([]);
    expect(await typesOf()).not.toContain('password_changed');
  });
});
