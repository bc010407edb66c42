import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { auditLog, givenPerson, PASSWORD, serveWith, signIn } from '#test/http/people.ts';
import { recordingLog, serve } from '#test/http/serve.ts';
import { type Visitor, visit } from '#test/http/visitor.ts';
import { SECRET_KEY_BASE, useRuntime } from '#test/support/database.ts';

const harness = useRuntime();

/** Whether this browser is still signed in. */
async function isIn(visitor: Visitor): Promise<boolean> {
  return (await visitor.get('/settings/security')).status === 200;
}

/** The same browser, a moment ago or elsewhere. */
function copyOf(visitor: Visitor, served: { url: string }): Visitor {
  const copy = visit(served);
  for (const [name, value] of visitor.cookies) copy.cookies.set(name, value);
  return copy;
}

const rows = () => harness.query<{ digest: Buffer; user_id: string }>('select * from sessions');

describe('a session', () => {
  test('is new at every sign-in, and the one before is dead', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const visitor = await signIn(served, ada);
    const before = copyOf(visitor, served);

    const body = JSON.stringify({ email: ada.email, password: PASSWORD });
    await visitor.send('/sessions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });

    expect(visitor.cookies.get('finance.session')).not.toBe(before.cookies.get('finance.session'));
    expect([await isIn(visitor), await isIn(before)]).toEqual([true, false]);
    expect(await rows()).toHaveLength(1);
  });

  test('never takes over an id that somebody else chose', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const visitor = visit(served);
    const planted = 'A'.repeat(43);
    visitor.cookies.set('finance.session', planted);

    const page = await visitor.get('/sessions/new');
    await visitor.submit(page, '/sessions', { email: ada.email, password: PASSWORD });

    expect(visitor.cookies.get('finance.session')).not.toBe(planted);
    expect(await isIn(visitor)).toBe(true);
  });

  test('is kept as a digest only', async () => {
    await using served = await serve(harness.runtime);
    const visitor = await signIn(served, await givenPerson(harness));
    const token = visitor.cookies.get('finance.session') ?? '';

    const dump = JSON.stringify(await harness.query('select * from sessions'));

    expect(token).toMatch(/^[\w-]{43}$/);
    expect(dump).not.toContain(token);
    expect(dump).not.toContain(Buffer.from(token).toString('hex'));
  });

  test('is over after signing out, also for a saved cookie', async () => {
    await using served = await serve(harness.runtime);
    const visitor = await signIn(served, await givenPerson(harness));
    const saved = copyOf(visitor, served);

    const page = await visitor.fill('/settings/security', '/logout');

    expect(page.text).toContain('You are signed out.');
    expect(visitor.cookies.has('finance.session')).toBe(false);
    expect(await isIn(saved)).toBe(false);
    expect(await rows()).toEqual([]);
  });

  test.each([
    ['idled away', `last_seen_at = now() - interval '12 hours'`],
    ['reached its end', `expires_at = now()`],
  ])('ends when it has %s', async (_, change) => {
    await using served = await serve(harness.runtime);
    const visitor = await signIn(served, await givenPerson(harness));
    const before = await isIn(visitor);

    await harness.query(`update sessions set ${change}`);

    expect([before, await isIn(visitor)]).toEqual([true, false]);
  });

  test('lives on while it is used, and no longer than its lifetime', async () => {
    await using served = await serve(harness.runtime);
    const visitor = await signIn(served, await givenPerson(harness));
    await harness.query(`update sessions set last_seen_at = now() - interval '11 hours'`);

    await isIn(visitor);

    const [row] = await harness.query(
      `select last_seen_at > now() - interval '1 minute' as seen,
         expires_at - created_at = interval '168 hours' as lifetime from sessions`,
    );
    expect(row).toEqual({ seen: true, lifetime: true });
  });

  test.each([
    ['suspension', 'update users set suspended_at = now() where id = $1'],
    ['deletion', 'delete from users where id = $1'],
    ['revocation', 'delete from sessions where user_id = $1'],
  ])('is over at the next click after %s, in every process', async (_, sql) => {
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const visitor = await signIn(first, ada);
    const elsewhere = copyOf(visitor, second);
    const before = [await isIn(visitor), await isIn(elsewhere)];

    await harness.query(sql, [ada.id]);

    expect(before).toEqual([true, true]);
    expect([await isIn(visitor), await isIn(elsewhere)]).toEqual([false, false]);
  });

  test('has the role its user has now, in every process', async () => {
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    const root = await givenPerson(harness, { role: 'super_admin' });
    const elsewhere = copyOf(await signIn(first, root), second);
    const links = async () => (await elsewhere.get('/settings/security')).text.includes('/admin/users');
    const before = await links();

    await harness.query(`update users set role = 'member' where id = $1`, [root.id]);

    expect([before, await links()]).toEqual([true, false]);
  });

  test('is over twice at once without a mistake', async () => {
    await using served = await serve(harness.runtime);
    const visitor = await signIn(served, await givenPerson(harness));
    const page = await visitor.get('/settings/security');
    const browsers = Array.from({ length: 4 }, () => copyOf(visitor, served));

    const answers = await Promise.all(browsers.map((browser) => browser.submit(page, '/logout')));
    const again = await browsers[0]?.submit(page, '/logout');

    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303]);
    expect(again?.status).toBe(303);
    const ended = (await auditLog(harness)).filter(({ event_type }) => event_type === 'logout');
    expect(ended).toHaveLength(1);
  });

  test.each([
    ['suspension', 'update users set suspended_at = now() where id = $1', 303],
    ['deletion', 'delete from users where id = $1', 303],
    ['revocation', 'delete from sessions where user_id = $1', 303],
    ['demotion', `update users set role = 'member' where id = $1`, 403],
  ])('lets nothing through whose form was held back until after %s', async (_, sql, status) => {
    await using served = await serve(harness.runtime);
    const root = await givenPerson(harness, { role: 'super_admin' });
    const ada = await givenPerson(harness);
    const visitor = await signIn(served, root);
    const page = await visitor.get(`/admin/users/${ada.id}`);
    const token = page.root.querySelector('input[name=csrf_token]')?.getAttribute('value') ?? '';
    const body = new URLSearchParams({ csrf_token: token, role: 'super_admin' }).toString();
    const held = request(`${served.url}/admin/users/${ada.id}/role`, {
      method: 'POST',
      headers: {
        Cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'Content-Type': 'application/x-www-form-urlencoded',
        'Content-Length': body.length,
      },
    });
    held.write(body.slice(0, 3));
    // The server has the headers when it has counted the request.
    const counted = () => harness.query(`select count from rate_limits where key like 'admin:%'`);
    await expect.poll(counted).toEqual([{ count: 2 }]);

    await harness.query(sql, [root.id]);
    held.end(body.slice(3));
    const [answer] = await once(held, 'response');

    expect(answer.statusCode).toBe(status);
    expect(await harness.query('select role from users where id = $1', [ada.id])).toEqual([
      { role: 'member' },
    ]);
  });

  test('cannot be brought back by a request that ends after it', async () => {
    await using served = await serve(harness.runtime);
    const visitor = await signIn(served, await givenPerson(harness));
    const slow = copyOf(visitor, served);

    await Promise.all([isIn(slow), visitor.fill('/settings/security', '/logout'), isIn(slow)]);

    expect(await isIn(slow)).toBe(false);
    expect(await rows()).toEqual([]);
  });
});

describe('the cookie', () => {
  test('is for https alone when APP_URL is, also behind a proxy that ends TLS', async () => {
    const { config } = harness.runtime;
    await using served = await serveWith(harness, {
      http: { ...config.http, appUrl: 'https://money.example' },
    });
    const ada = await givenPerson(harness);

    const answer = await served.ask('/sessions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: ada.email, password: PASSWORD }),
    });

    const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('__Host-finance.session='));
    expect(cookie).toMatch(/; path=\/; expires=[^;]+; samesite=lax; secure; httponly$/i);
    for (const line of answer.headers.getSetCookie()) expect(line).toMatch(/^__Host-.*secure/i);
  });

  test('stays valid while its keys are rotated, and not with other ones', async () => {
    const { config } = harness.runtime;
    const withSecrets = (...secrets: string[]) =>
      serveWith(harness, { session: { ...config.session, secrets } });
    const [old, fresh, other] = ['old', 'fresh', 'other'].map((name) => name.padEnd(40, '-'));
    await using before = await withSecrets(old ?? '');
    await using during = await withSecrets(fresh ?? '', old ?? '');
    await using foreign = await withSecrets(other ?? '');
    const visitor = await signIn(before, await givenPerson(harness));

    const rotated = copyOf(visitor, during);
    const stranger = copyOf(visitor, foreign);

    expect([await isIn(rotated), await isIn(stranger)]).toEqual([true, false]);
    expect(rotated.cookies.get('finance.session.sig')).not.toBe(visitor.cookies.get('finance.session.sig'));
  });

  test('of nobody is not set, and no row is kept for it', async () => {
    await using served = await serve(harness.runtime);
    const visitor = visit(served);

    await visitor.get('/sessions/new');

    expect([...visitor.cookies.keys()]).toEqual(['finance.visitor']);
    expect(await rows()).toEqual([]);
  });

  test.each(['x', 'A'.repeat(43), '%00', '"', `${'A'.repeat(42)}=`])('%j is nobody', async (value) => {
    await using served = await serve(harness.runtime);
    const visitor = visit(served);
    visitor.cookies.set('finance.session', value);
    visitor.cookies.set('finance.session.sig', value);

    expect((await visitor.get('/settings/security')).status).toBe(303);
  });

  test('is never in the log', async () => {
    const { log, lines } = recordingLog('debug');
    await using served = await serve({ ...harness.runtime, log });
    const visitor = await signIn(served, await givenPerson(harness));
    await isIn(visitor);

    const logged = JSON.stringify(lines);

    expect(lines.length).toBeGreaterThan(2);
    for (const secret of [...visitor.cookies.values(), PASSWORD, SECRET_KEY_BASE])
      expect(logged).not.toContain(secret);
  });
});

describe('pages', () => {
  test('come with a strict policy, are kept nowhere, and cannot be framed', async () => {
    await using served = await serve(harness.runtime);
    const visitor = await signIn(served, await givenPerson(harness));

    const pages = [
      await visitor.get('/settings/security'),
      await visitor.get('/nothing/here'),
      await visit(served).get('/sessions/new'),
    ];

    for (const { headers, text } of pages) {
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('cache-control')).toBe('private, no-store');
      expect(text).not.toMatch(/<script|<style| style=| on[a-z]+=/i);
    }
  });

  test('share one style sheet and one icon that browsers keep', async () => {
    await using served = await serve(harness.runtime);
    const page = await visit(served).get('/sessions/new');

    for (const link of page.root.querySelectorAll('link')) {
      const asset = await served.ask(link.getAttribute('href') ?? '');
      expect(asset.status).toBe(200);
      expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(asset.headers.get('content-type')).toMatch(/^(text\/css; charset=utf-8|image\/svg\+xml)$/);
    }
  });

  test('lead from / to where one may go', async () => {
    await using served = await serve(harness.runtime);
    const visitor = await signIn(served, await givenPerson(harness));

    expect((await visitor.get('/')).location).toBe('/settings/security');
    expect((await visitor.get('/sessions/new')).location).toBe('/');
    expect((await visit(served).get('/')).location).toMatch(/^\/sessions\/new\?notice=sign_in_first/);
    expect((await served.ask('/', { headers: { Accept: 'application/json' } })).body).toEqual({
      error: 'unauthorized',
      message: 'Sign in first',
    });
  });
});
