import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { browserName } from '#src/http/settings/browser-name.ts';
import { auditLog, givenPerson, PASSWORD, serveWith, signIn } from '#test/http/people.ts';
import { type Served, serve } from '#test/http/serve.ts';
import { type Visitor, visit } from '#test/http/visitor.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();

const PATH = '/settings/security';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';

const isIn = async (visitor: Visitor) => (await visitor.get(PATH)).status === 200;

async function signInOnPhone(served: Served, email: string): Promise<Visitor> {
  const visitor = visit(served);
  const page = await visitor.get('/sessions/new');
  const token = page.root.querySelector('input[name=csrf_token]')?.getAttribute('value') ?? '';
  await visitor.send('/sessions', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'User-Agent': IPHONE },
    body: new URLSearchParams({ csrf_token: token, email, password: PASSWORD }).toString(),
  });
  return visitor;
}

async function sessionsOf({ id }: { id: string }): Promise<string[]> {
  const rows = await harness.query<{ id: string }>(
    'select id from sessions where user_id = $1 order by created_at',
    [id],
  );
  return rows.map((row) => row.id);
}

describe('the list of sessions', () => {
  test('says which is this one, and what is known of the others', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    await signInOnPhone(served, ada.email);
    const here = await signIn(served, ada);
    await signIn(served, await givenPerson(harness));
    const [phone = '', mine = ''] = await sessionsOf(ada);
    await harness.query(
      `update sessions set created_at = '2026-01-02 03:04:05Z', expires_at = '2999-01-09 03:04:05Z' where id = $1`,
      [phone],
    );

    const page = await here.get(PATH);

    const lines = page.root.querySelectorAll('tbody tr').map((line) => line.querySelectorAll('td'));
    expect(lines).toHaveLength(2);
    const other = lines.find(([, action]) => action?.text.trim() === 'End') ?? [];
    expect(other.map((cell) => cell.text.trim())).toEqual([
      'Safari on iPhone',
      'End',
      '127.0.0.1',
      '2026-01-02 03:04',
      expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d$/),
      '2999-01-09 03:04',
    ]);
    expect(page.text).toContain('This session');
    expect(page.text).not.toContain(mine);
    expect(page.text).toContain('not used for 12 hours');
  });

  test('leaves out what is over', async () => {
    await using served = await serveWith(harness, {
      session: { ...harness.runtime.config.session, idleMinutes: 1 },
    });
    const ada = await givenPerson(harness);
    await signIn(served, ada);
    await signIn(served, ada);
    const here = await signIn(served, ada);
    const [idle, over] = await sessionsOf(ada);
    await harness.query(`update sessions set last_seen_at = now() - interval '2 minutes' where id = $1`, [
      idle,
    ]);
    await harness.query(`update sessions set expires_at = now() where id = $1`, [over]);

    const page = await here.get(PATH);

    expect(page.root.querySelectorAll('tbody tr')).toHaveLength(1);
    expect(page.root.querySelector('form[action="/settings/sessions/end_others"]')).toBeNull();
    expect(page.text).toContain('not used for one minute');
  });
});

describe('ending a session', () => {
  test('ends it in every process, leaves the others, and is on record', async () => {
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const lost = await signIn(second, ada);
    const [lostId = ''] = await sessionsOf(ada);
    const kept = await signIn(second, ada);
    const here = await signIn(first, ada);

    const answer = await here.submit(await here.get(PATH), `/settings/sessions/${lostId}/end`);

    expect(answer).toMatchObject({ status: 303, location: `${PATH}?notice=session_ended` });
    expect((await here.follow(answer)).text).toContain('The session is ended.');
    expect([await isIn(lost), await isIn(kept), await isIn(here)]).toEqual([false, true, true]);
    expect((await auditLog(harness)).at(-1)).toMatchObject({
      event_type: 'logout',
      user_id: ada.id,
      actor_id: ada.id,
      metadata: { session_id: lostId, reason: 'revoked' },
    });
  });

  test("is the same 404 for somebody else's, an unknown one and what is no id", async () => {
    await using served = await serve(harness.runtime);
    const bob = await givenPerson(harness);
    const bobs = await signIn(served, bob);
    const [foreign = ''] = await sessionsOf(bob);
    const here = await signIn(served, await givenPerson(harness));
    const page = await here.get(PATH);
    const token = page.root.querySelector('input[name=csrf_token]')?.getAttribute('value') ?? '';
    const before = await auditLog(harness);

    const answers: object[] = [];
    for (const id of [foreign, randomUUID(), 'x', `${foreign}%27`, '%00']) {
      const { status, text } = await here.send(`/settings/sessions/${id}/end`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Request-Id': 'same' },
        body: new URLSearchParams({ csrf_token: token }).toString(),
      });
      answers.push({ status, text });
    }

    expect(answers[0]).toMatchObject({ status: 404, text: expect.stringContaining('Session not found') });
    expect(answers).toEqual(answers.map(() => answers[0]));
    expect(await isIn(bobs)).toBe(true);
    expect(await auditLog(harness)).toEqual(before);
  });

  test('everywhere else leaves this one alone, and the sessions of others', async () => {
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const others = [await signIn(first, ada), await signIn(second, ada)];
    const here = await signIn(first, ada);
    const stranger = await signIn(second, await givenPerson(harness));

    const answer = await here.submit(await here.get(PATH), '/settings/sessions/end_others');

    expect(answer).toMatchObject({ status: 303, location: `${PATH}?notice=other_sessions_ended` });
    expect(await Promise.all([...others, here, stranger].map(isIn))).toEqual([false, false, true, true]);
    expect((await auditLog(harness)).at(-1)).toMatchObject({
      event_type: 'logout',
      user_id: ada.id,
      metadata: { reason: 'revoked', sessions: 2 },
    });
  });

  test.each(['/settings/sessions/end_others', '/settings/sessions/ID/end'])(
    'at %s needs the token of the form',
    async (path) => {
      await using served = await serve(harness.runtime);
      const ada = await givenPerson(harness);
      const other = await signIn(served, ada);
      const [id = ''] = await sessionsOf(ada);
      const here = await signIn(served, ada);

      const answer = await here.send(path.replace('ID', id), {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: '',
      });

      expect(answer.status).toBe(403);
      expect(await isIn(other)).toBe(true);
    },
  );
});

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
    'Chrome on Windows',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
    'Safari on macOS',
  ],
  [IPHONE, 'Safari on iPhone'],
  [
    'Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile/15E148 Safari/604.1',
    'Chrome on iPad',
  ],
  [
    'Mozilla/5.0 (Linux; Android 15; SM-S931B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
    'Samsung Internet on Android',
  ],
  [
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
    'Chrome on ChromeOS',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 OPR/125.0.0.0',
    'Opera on Windows',
  ],
  ['Mozilla/5.0 (compatible; something) Linux', 'Linux'],
  ['curl/8.14.1', 'curl'],
  ['python-requests/2.32', 'python-requests'],
  ['x'.repeat(500), 'x'.repeat(40)],
  ['<script>alert(1)</script>', '<script>alert'],
  ['', 'Unknown'],
  [null, 'Unknown'],
])('%j is shown as %j', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name);
});
