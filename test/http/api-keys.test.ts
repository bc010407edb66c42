import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createApiKey } from '#src/auth/create-api-key.ts';
import { auditLog, givenPerson, serveWith, signIn } from '#test/http/people.ts';
import { type Served, serve } from '#test/http/serve.ts';
import type { Visited, Visitor } from '#test/http/visitor.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();

const PATH = '/settings/api_keys';
const LIST = '/api/v1/rejected_transfers';

async function create(visitor: Visitor, values: Record<string, string> = {}): Promise<Visited> {
  return visitor.submit(await visitor.get(PATH), PATH, { name: 'laptop', ...values });
}

const keyOn = ({ root }: Visited) => root.querySelector('code.secret')?.text ?? '';

/** The table, one list of texts for each line. */
async function linesFor(visitor: Visitor): Promise<string[][]> {
  const { root } = await visitor.get(PATH);
  return root
    .querySelectorAll('tbody tr')
    .map((line) => line.querySelectorAll('td').map((cell) => cell.structuredText.trim()));
}

async function opens(served: Served, key: string): Promise<number> {
  return (await served.ask(LIST, { headers: { 'X-Api-Key': key } })).status;
}

const stored = () =>
  harness.query<{
    id: string;
    name: string;
    scope: string;
    expires_at: Date | null;
    revoked_at: Date | null;
  }>('select id, name, scope, expires_at, revoked_at from api_keys order by created_at');

const recorded = async () =>
  (await auditLog(harness)).filter(({ event_type }) => String(event_type).startsWith('api_key'));

/** Somebody signed in with a key of their own. */
async function givenKey(served: Served) {
  const ada = await givenPerson(harness);
  const visitor = await signIn(served, ada);
  const key = keyOn(await create(visitor));
  const [row] = (await stored()).slice(-1);
  return { ada, visitor, key, id: row?.id ?? '' };
}

describe('making a key', () => {
  test('shows it once, with a line to try it', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const visitor = await signIn(served, ada);

    const page = await create(visitor);

    expect(page.status).toBe(201);
    expect(page.headers.get('cache-control')).toBe('private, no-store');
    const key = keyOn(page);
    expect(key).toMatch(/^fin_[\w-]{43}$/);
    expect(await opens(served, key)).toBe(200);
    expect((await visitor.get(PATH)).text).not.toContain(key);
    expect(await linesFor(visitor)).toEqual([
      [
        'laptop',
        'Revoke…',
        'Read only',
        `${key.slice(0, 8)}…${key.slice(-4)}`,
        expect.stringMatching(/^2\d{3}-\d\d-\d\d \d\d:\d\d$/),
        'Never',
        'Never',
      ],
    ]);
    expect(await recorded()).toMatchObject([
      {
        event_type: 'api_key_created',
        user_id: ada.id,
        actor_id: ada.id,
        actor_kind: 'web',
        metadata: { name: 'laptop', scope: 'read' },
      },
    ]);
  });

  test('the line can be pasted into a shell', async () => {
    const app = { appUrl: '' };
    await using served = await serveWith(harness, { http: Object.assign(app, harness.runtime.config.http) });
    app.appUrl = served.url;
    const visitor = await signIn(served, await givenPerson(harness));

    const page = await create(visitor);
    const line = page.root.querySelectorAll('code.secret')[1]?.text ?? '';
    // A shell takes it apart; what curl would do with the words is done here.
    const shell = `curl() { printf '%s\\n' "$@"; }; ${line}`;
    const { stdout } = await promisify(execFile)('sh', ['-c', shell]);
    const [option, header = '', url = '', ...rest] = stdout.trim().split('\n');
    const [name = '', value = ''] = header.split(': ');
    const answer = await fetch(url, { headers: { [name]: value } });

    expect([option, name, url, rest]).toEqual(['-H', 'X-Api-Key', `${served.url}${LIST}`, []]);
    expect(answer.status).toBe(200);
  });

  test('takes the other scope and a last moment', async () => {
    await using served = await serve(harness.runtime);
    const visitor = await signIn(served, await givenPerson(harness));

    const page = await create(visitor, { name: ' Büro <1> ', scope: 'read_write', expires_on: '2999-12-31' });

    expect(page.status).toBe(201);
    expect(await stored()).toMatchObject([
      { name: 'Büro <1>', scope: 'read_write', expires_at: '2999-12-31 00:00:00+00' },
    ]);
    const [line = []] = await linesFor(visitor);
    expect([line[0], line[2], line[6]]).toEqual(['Büro <1>', 'Read and write', '2999-12-31 00:00']);
  });

  test('sent again makes no second one and says why', async () => {
    await using served = await serve(harness.runtime);
    const visitor = await signIn(served, await givenPerson(harness));
    const form = await visitor.get(PATH);
    await visitor.submit(form, PATH, { name: 'laptop' });

    const again = await visitor.submit(form, PATH, { name: 'laptop' });

    expect(again.status).toBe(422);
    expect(again.root.querySelector('.problems a[href="#name"]')?.text).toBe(
      'There is already an active key named "laptop"',
    );
    expect(keyOn(again)).toBe('');
    expect(await stored()).toHaveLength(1);
  });

  test('sent twice at the same moment makes one', async () => {
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    const visitor = await signIn(first, await givenPerson(harness));
    const form = await visitor.get(PATH);
    const token = form.root.querySelector('input[name=csrf_token]')?.getAttribute('value') ?? '';
    const send = async ({ url }: Served) => {
      const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const body = new URLSearchParams({ csrf_token: token, name: 'laptop', scope: 'read', expires_on: '' });
      return (await fetch(url + PATH, { method: 'POST', headers: { Cookie: cookie }, body })).status;
    };

    const statuses = await Promise.all([first, second, first, second].map(send));

    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 422)).toHaveLength(3);
    expect(await stored()).toHaveLength(1);
  });

  test.each([
    [{ name: ' ' }, [['name', 'The name must not be empty']]],
    [{ name: 'x'.repeat(101) }, [['name', 'The name must have at most 100 characters, not 101']]],
    [{ name: 'a\u0007b' }, [['name', 'The name must not hold control characters']]],
    [{ scope: 'admin' }, [['scope', 'The scope must be one of read, read_write, not "admin"']]],
    [{ scope: '' }, [['scope', 'The scope must be one of read, read_write, not ""']]],
    [{ expires_on: '2026-02-30' }, [['expires_on', 'The expiry must be a day, written YYYY-MM-DD']]],
    [{ expires_on: '1.2.2999' }, [['expires_on', 'The expiry must be a day, written YYYY-MM-DD']]],
    [{ expires_on: '2020-01-01' }, [['expires_on', 'The expiry must be a day in the future']]],
    [
      { name: '', scope: 'x', expires_on: 'x' },
      [
        ['name', 'The name must not be empty'],
        ['scope', 'The scope must be one of read, read_write, not "x"'],
        ['expires_on', 'The expiry must be a day, written YYYY-MM-DD'],
      ],
    ],
  ])('refuses %j, keeps what was typed and makes none', async (values, problems) => {
    await using served = await serve(harness.runtime);
    const visitor = await signIn(served, await givenPerson(harness));

    const page = await create(visitor, values);

    expect(page.status).toBe(422);
    const links = page.root.querySelectorAll('.problems a');
    expect(links.map((link) => [link.getAttribute('href'), link.text])).toEqual(
      problems.map(([field, message]) => [`#${field}`, message]),
    );
    const typed = { name: 'laptop', expires_on: '', ...values };
    expect(page.root.querySelector('input#name')?.getAttribute('value')).toBe(typed.name);
    expect(page.root.querySelector('input#expires_on')?.getAttribute('value')).toBe(typed.expires_on);
    expect(await stored()).toEqual([]);
    expect(await recorded()).toEqual([]);
  });

  test('is refused without the token of the form', async () => {
    await using served = await serve(harness.runtime);
    const visitor = await signIn(served, await givenPerson(harness));

    const page = await create(visitor, { csrf_token: 'x' });

    expect(page.status).toBe(403);
    expect(await stored()).toEqual([]);
  });
});

describe('the list of keys', () => {
  test("shows one's own, with last use, expiry and revocation, and nobody else's", async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const bob = await givenPerson(harness, { familyId: ada.familyId });
    await harness.perform((work) => createApiKey(work, { userId: bob.id, name: 'of bob', scope: 'read' }));
    const visitor = await signIn(served, ada);
    for (const name of ['used', 'expired', 'revoked']) await create(visitor, { name });
    await harness.query(`update api_keys set last_used_at = '2026-01-02 03:04:05Z' where name = 'used'`);
    await harness.query(`update api_keys set expires_at = '2026-01-02 03:04:05Z' where name = 'expired'`);
    await harness.query(`update api_keys set revoked_at = '2026-01-02 03:04:05Z' where name = 'revoked'`);

    const lines = await linesFor(visitor);

    expect(lines.map(([name, state, , , , used, expires]) => [name, state, used, expires])).toEqual([
      ['revoked', expect.stringMatching(/^Revoked\s*2026-01-02 03:04$/), 'Never', 'Never'],
      ['expired', expect.stringMatching(/^Expired\s*Revoke…$/), 'Never', '2026-01-02 03:04'],
      ['used', 'Revoke…', '2026-01-02 03:04', 'Never'],
    ]);
  });

  test('says when there is none', async () => {
    await using served = await serve(harness.runtime);
    const visitor = await signIn(served, await givenPerson(harness));

    expect((await visitor.get(PATH)).text).toContain('You have no keys yet.');
  });
});

describe('revoking a key', () => {
  test('asks first, then refuses it in every process', async () => {
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    const { ada, visitor, key, id } = await givenKey(first);

    const list = await visitor.get(PATH);
    const link = list.root.querySelector('tbody a')?.getAttribute('href') ?? '';
    const question = await visitor.get(link);
    const before = await opens(second, key);
    const answer = await visitor.submit(question, link);

    expect(question.status).toBe(200);
    expect(question.text).toContain('laptop');
    expect(question.text).toContain(`${key.slice(0, 8)}…${key.slice(-4)}`);
    expect(before).toBe(200);
    expect(answer).toMatchObject({ status: 303, location: `${PATH}?notice=api_key_revoked` });
    expect([await opens(first, key), await opens(second, key)]).toEqual([401, 401]);
    expect((await recorded()).at(-1)).toMatchObject({
      event_type: 'api_key_revoked',
      user_id: ada.id,
      actor_id: ada.id,
      metadata: { api_key_id: id, name: 'laptop' },
    });
  });

  test('twice changes nothing more', async () => {
    await using served = await serve(harness.runtime);
    const { visitor, id } = await givenKey(served);
    const question = await visitor.get(`${PATH}/${id}/revoke`);
    await visitor.submit(question, `${PATH}/${id}/revoke`);
    const [before] = await stored();

    const again = await visitor.submit(question, `${PATH}/${id}/revoke`);
    const asked = await visitor.get(`${PATH}/${id}/revoke`);

    expect([again.location, asked.location]).toEqual(Array(2).fill(`${PATH}?notice=api_key_revoked`));
    expect(await stored()).toEqual([before]);
    expect(await recorded()).toHaveLength(2);
  });

  test('frees the name for a new one', async () => {
    await using served = await serve(harness.runtime);
    const { visitor, id } = await givenKey(served);
    await visitor.fill(`${PATH}/${id}/revoke`, `${PATH}/${id}/revoke`);

    expect((await create(visitor)).status).toBe(201);
  });

  test("is a 404 for somebody else's, an unknown one and what is no id, and changes nothing", async () => {
    await using served = await serve(harness.runtime);
    const { id, key, visitor: owner } = await givenKey(served);
    const visitor = await signIn(served, await givenPerson(harness, { role: 'super_admin' }));
    const form = await owner.get(`${PATH}/${id}/revoke`);
    const page = await visitor.get(PATH);
    const token = page.root.querySelector('input[name=csrf_token]')?.getAttribute('value') ?? '';

    for (const other of [id, randomUUID(), 'x', '%00']) {
      const path = `${PATH}/${other}/revoke`;
      const asked = await visitor.get(path);
      const sent = await visitor.send(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ csrf_token: token }).toString(),
      });
      expect([asked.status, sent.status]).toEqual([404, 404]);
      expect(asked.text).not.toContain('laptop');
      expect(sent.text).not.toContain('laptop');
    }
    const stale = await visitor.submit(form, `${PATH}/${id}/revoke`);

    expect(stale.status).toBe(403);
    expect(await opens(served, key)).toBe(200);
    expect(await recorded()).toHaveLength(1);
  });
});

describe('sessions and keys are different things', () => {
  test('a cookie does not open the API', async () => {
    await using served = await serve(harness.runtime);
    const visitor = await signIn(served, await givenPerson(harness));

    const answer = await visitor.get(LIST);

    expect(answer.status).toBe(401);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('a key opens no page and changes nothing', async () => {
    await using served = await serve(harness.runtime);
    const visitor = await signIn(served, await givenPerson(harness, { role: 'super_admin' }));
    const key = keyOn(await create(visitor, { scope: 'read_write' }));
    const headers = { 'X-Api-Key': key, Authorization: `Bearer ${key}`, Accept: 'text/html' };

    for (const path of ['/', '/settings/security', PATH, '/admin/users']) {
      const answer = await served.ask(path, { headers });
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toMatch(/^\/sessions\/new/);
    }
    const posted = await served.ask(PATH, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ name: 'x' }),
    });

    expect(posted.status).toBe(303);
    expect(await stored()).toHaveLength(1);
  });

  test('keys are for people who are signed in', async () => {
    await using served = await serve(harness.runtime);

    for (const path of [PATH, `${PATH}/${randomUUID()}/revoke`]) {
      const answer = await served.ask(path, { headers: { Accept: 'text/html' } });
      expect(answer.headers.get('location')).toBe(
        `/sessions/new?notice=sign_in_first&return_to=${encodeURIComponent(path)}`,
      );
    }
  });
});
