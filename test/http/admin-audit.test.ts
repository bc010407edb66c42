import { randomUUID } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '#src/audit/event-types.ts';
import { givenVisitor, problemsOf } from '#test/http/administrator.ts';
import { givenPerson, serveWith } from '#test/http/people.ts';
import { serve } from '#test/http/serve.ts';
import { type Visited, visit } from '#test/http/visitor.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();

const PATH = '/admin/sso_audit_logs';

interface Recorded {
  type?: string;
  user?: string | null;
  actor?: string | null;
  kind?: string;
  provider?: string | null;
  at?: string;
  address?: string | null;
  agent?: string | null;
  facts?: Record<string, unknown>;
  request?: string | null;
}

/** An event as it could have been recorded. */
async function givenEvent(event: Recorded): Promise<void> {
  await harness.query(
    `insert into audit_events (id, created_at, event_type, user_id, actor_id, actor_kind, provider, ip_address,
       user_agent, metadata, request_id)
     values (gen_random_uuid(), coalesce($1::timestamptz, now()), $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      event.at ?? null,
      event.type ?? 'login',
      event.user ?? null,
      event.actor ?? null,
      event.kind ?? 'web',
      event.provider ?? null,
      event.address ?? null,
      event.agent ?? null,
      event.facts ?? {},
      event.request ?? null,
    ],
  );
}

/** So many events about one user at one moment, each with a request of its own. */
async function givenMany(user: string, count: number): Promise<string[]> {
  const rows = await harness.query<{ request_id: string }>(
    `insert into audit_events (id, created_at, event_type, user_id, actor_kind, metadata, request_id)
     select gen_random_uuid(), '2026-03-01T12:00:00.123456Z', 'login', $1, 'web', '{}', 'many-' || n
     from generate_series(1, $2) n returning request_id`,
    [user, count],
  );
  return rows.map(({ request_id }) => request_id);
}

const given = (page: Visited) => page.root.querySelectorAll('tbody tr');
const requestsOf = (page: Visited) => page.text.match(/many-\d+/g) ?? [];
const olderOf = (page: Visited | undefined) =>
  page?.root.querySelector('a[rel=next]')?.getAttribute('href') ?? '';
/** The cells of the first event. */
const cellsOf = (page: Visited) =>
  given(page)[0]
    ?.querySelectorAll('td')
    .map(({ text }) => text.replaceAll(/\s+/g, ' ').trim()) ?? [];

const recordsOf = ({ text }: Visited): Record<string, string>[] =>
  parse(text, { columns: true, record_delimiter: '\r\n' });

describe('the audit log', () => {
  test('says of each event when it was, what happened, to whom, by whom, from where and how', async () => {
    await using served = await serve(harness.runtime);
    const { visitor, person: admin } = await givenVisitor(harness, served, { role: 'super_admin' });
    const ada = await givenPerson(harness, { email: 'ada@example.com' });
    await givenEvent({
      type: 'role_changed',
      at: '2026-03-01T23:59:58.999Z',
      user: ada.id,
      actor: admin.id,
      address: '198.51.100.7',
      agent: 'Netscape/4',
      facts: { old: 'member', new: 'admin', reason: 'she asked' },
      request: 'request-7',
    });

    const page = await visitor.get(`${PATH}?user=ada@example.com&event=role_changed`);

    expect(cellsOf(page)).toEqual([
      '2026-03-01 23:59:58',
      'Role changed from member to admin role_changed',
      'ada@example.com',
      `${admin.email}, in a browser from 198.51.100.7`,
      'new admin old member reason she asked Browser and request browser Netscape/4 request request-7',
    ]);
    expect(page.root.querySelector('tbody time')?.getAttribute('datetime')).toBe('2026-03-01T23:59:58.999Z');
  });

  test.each<[Recorded, RegExp]>([
    [{ kind: 'web' }, /somebody not signed in/],
    [{ kind: 'cli', facts: { os_user: 'grace' } }, /grace at a terminal/],
    [{ kind: 'cli' }, /at a terminal/],
    [{ kind: 'system' }, /the service itself/],
  ])('says by whom: %o', async (event, who) => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
    const user = randomUUID();
    await givenEvent({ ...event, user });

    const [, , about, by] = cellsOf(await visitor.get(`${PATH}?user=${user}`));

    expect(about).toBe(`${user} (deleted)`);
    expect(by).toMatch(who);
  });

  test('marks an override, and names the way and the reason of a failure', async () => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
    const user = randomUUID();
    await givenEvent({ user, type: 'login', facts: { method: 'local', override: true } });
    await givenEvent({
      user,
      type: 'login_failed',
      facts: { method: 'local', reason: 'wrong_password' },
      at: '2026-01-01',
    });
    await givenEvent({
      user,
      type: 'login_failed',
      provider: 'okta',
      facts: { reason: 'no_idea' },
      at: '2026-01-01',
    });
    await givenEvent({ user, type: 'login_failed', provider: 'okta', facts: { reason: 'email_unverified' } });

    const { text } = await visitor.get(`${PATH}?user=${user}`);

    expect(text).toContain('Override: password sign-in was off');
    expect(text).toContain('Could not sign in with a password: the password was wrong');
    expect(text).toContain('Could not sign in through okta: no_idea');
    expect(text).toContain(
      'Could not sign in through okta. The identity provider has not verified your email address',
    );
    expect(text).toContain('Could not sign in through okta: no_idea');
  });

  test.each([...EVENT_TYPES])('has a sentence for %s, whatever is known of it', async (type) => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
    const user = randomUUID();
    await givenEvent({ type, user });

    const [, what = ''] = cellsOf(await visitor.get(`${PATH}?user=${user}`));

    expect(what).toMatch(new RegExp(`^[A-Z][A-Za-z]*( .*)? ${type}$`));
    expect(what).not.toMatch(/undefined|null|object/);
  });

  test('shows an event of a newer version as it is', async () => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
    const user = randomUUID();
    await givenEvent({ type: 'moon_landed', user, facts: { deep: { list: [1, 'a'] } } });

    const [, what, , , details] = cellsOf(await visitor.get(`${PATH}?user=${user}`));

    expect(what).toBe('moon_landed moon_landed');
    expect(details).toContain('{"list":[1,"a"]}');
  });

  test('escapes what anybody has sent', async () => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
    const user = randomUUID();
    const evil = '<script>alert(1)</script>';
    const facts = { reason: evil, [evil]: evil, os_user: evil, list: [evil] };
    await givenEvent({
      user,
      kind: 'cli',
      type: 'login_failed',
      provider: evil,
      address: evil,
      agent: evil,
      facts,
      request: evil,
    });

    const { text } = await visitor.get(`${PATH}?user=${user}`);

    expect(text).not.toContain('<script');
    expect(text.split('&lt;script&gt;').length).toBeGreaterThan(7);
  });
});

describe('the filter of the audit log', () => {
  test.each<[query: string, requests: string[]]>([
    ['', ['d', 'c', 'b', 'a']],
    ['event=login', ['c', 'a']],
    ['provider=okta', ['b']],
    ['provider=OKTA', []],
    ['from=2026-02-01', ['d', 'c', 'b']],
    ['to=2026-01-31', ['a']],
    ['from=2026-02-01&to=2026-02-01', ['c', 'b']],
    ['from=2028-02-29', []],
    ['from=0001-01-01&to=9999-12-31', ['d', 'c', 'b', 'a']],
    ['event=login&from=2026-02-01&provider=&to=', ['c']],
    ['page=3&user_id=x', ['d', 'c', 'b', 'a']],
  ])('works by "%s"', async (query, requests) => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
    const { id: user, email } = await givenPerson(harness);
    await givenEvent({ user, request: 'many-1', at: '2026-01-31T23:59:59.999999Z' });
    await givenEvent({
      user,
      request: 'many-2',
      at: '2026-02-01T00:00:00Z',
      type: 'logout',
      provider: 'okta',
    });
    await givenEvent({ user, request: 'many-3', at: '2026-02-01T23:59:59.999Z' });
    await givenEvent({ user, request: 'many-4', at: '2026-02-02T00:00:00Z', type: 'user_suspended' });
    const names = { 'many-1': 'a', 'many-2': 'b', 'many-3': 'c', 'many-4': 'd' };

    const byEmail = await visitor.get(`${PATH}?user=${email}&${query}`);
    const csv = await visitor.get(`${PATH}.csv?user=${user}&${query}`);

    expect(byEmail.status).toBe(200);
    for (const answer of [byEmail, csv]) {
      expect(requestsOf(answer).map((request) => Reflect.get(names, request))).toEqual(requests);
    }
  });

  test('remembers in its form and in the link to the file what was chosen', async () => {
    await using served = await serve(harness.runtime);
    const { visitor, person } = await givenVisitor(harness, served, { role: 'super_admin' });
    await givenEvent({ user: person.id, provider: 'okta', at: '2026-02-01T12:00:00Z' });
    const values = {
      event: 'login',
      user: person.email,
      provider: 'okta',
      from: '2026-01-31',
      to: '2026-02-01',
    };

    const page = await visitor.submit(await visitor.get(PATH), PATH, values);
    const again = await visitor.submit(page, PATH);

    expect([given(page).length, given(again).length]).toEqual([1, 1]);
    const link = page.root.querySelector('a[download]')?.getAttribute('href') ?? '';
    expect(link).toBe(`${PATH}.csv?${new URLSearchParams(values).toString()}`);
    expect(recordsOf(await visitor.get(link))).toHaveLength(1);
  });

  test.each([
    ['event=nonsense', '"nonsense" is not a type of event'],
    [
      'user=nobody@example.com',
      'No user has the email "nobody@example.com". Somebody who is gone can be found by their id.',
    ],
    ['from=2026-02-30', 'The first day must be a date such as 2026-01-31'],
    ['to=yesterday', 'The last day must be a date such as 2026-01-31'],
    ['from=2026-02-02&to=2026-02-01', 'The first day lies after the last'],
    ['event=login&event=logout', 'event: given more than once'],
    ['provider=a%00b', 'provider: must be plain text'],
  ])('shows its form again for %s, also where a file was asked for', async (query, problem) => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });

    for (const path of [PATH, `${PATH}.csv`]) {
      const page = await visitor.get(`${path}?${query}`);
      expect([page.status, ...problemsOf(page)]).toEqual([422, problem]);
      expect(page.root.querySelector(`form[action="${PATH}"]`)).not.toBeNull();
      expect(page.headers.get('Content-Disposition')).toBeNull();
    }
  });

  test('names everything that is wrong at once', async () => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });

    const page = await visitor.get(`${PATH}?event=x&user=y&from=z&to=0`);

    expect(problemsOf(page)).toHaveLength(4);
    const links = page.root.querySelectorAll('.problems a').map((link) => link.getAttribute('href'));
    expect(links).toEqual(['#event', '#user', '#from', '#to']);
  });
});

describe('the pages of the audit log', () => {
  test('hold every event once, though all are of one moment and new ones come meanwhile', async () => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
    const user = randomUUID();
    const all = await givenMany(user, 70);

    const pages = [await visitor.get(`${PATH}?user=${user}&event=login`)];
    for (let next = olderOf(pages[0]); next !== ''; next = olderOf(pages.at(-1))) {
      await givenEvent({ user });
      pages.push(await visitor.get(next));
    }

    expect(pages.map((page) => given(page).length)).toEqual([25, 25, 20]);
    expect(pages.flatMap(requestsOf).toSorted()).toEqual(all.toSorted());
    const newest = pages.map(({ root }) =>
      root
        .querySelectorAll('.pages a')
        .find(({ text }) => text === 'Newest')
        ?.getAttribute('href'),
    );
    const start = `${PATH}?event=login&user=${user}`;
    expect(newest).toEqual([undefined, start, start]);
    expect(given(await visitor.get(start))).toHaveLength(25);
  });

  test.each(['nonsense', '%00', 'A'.repeat(2_000)])('do not go on from %s', async (cursor) => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });

    const page = await visitor.get(`${PATH}?cursor=${cursor}`);

    expect(page.status).toBe(422);
    expect(problemsOf(page)).toHaveLength(1);
  });
});

describe('the file of the audit log', () => {
  test('is CSV of every event once, newest first, however many there are', async () => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
    const user = randomUUID();
    const all = await givenMany(user, 1_234);
    await givenEvent({ user, at: '2026-03-02', request: 'newest' });
    await givenEvent({ user, at: '2026-02-28', request: 'oldest' });

    const file = await visitor.get(`${PATH}.csv?user=${user}`);

    const requests = recordsOf(file).map(({ request_id = '' }) => request_id);
    const exported = await harness.query(
      `select metadata from audit_events where event_type = 'audit_exported' order by created_at desc limit 1`,
    );
    expect(exported).toEqual([
      { metadata: { format: 'csv', filter: { user_id: user }, include_archive: false } },
    ]);
    expect(file.headers.get('Content-Type')).toBe('text/csv; charset=utf-8; header=present');
    expect(file.headers.get('Content-Disposition')).toMatch(
      /^attachment; filename="audit-log-\d{4}-\d\d-\d\d\.csv"$/,
    );
    expect([requests.at(0), requests.at(-1)]).toEqual(['newest', 'oldest']);
    expect(requests.slice(1, -1).toSorted()).toEqual(all.toSorted());
    expect(file.text.endsWith('\r\n')).toBe(true);
  });

  test('has only its heading where nothing matches', async () => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });

    const file = await visitor.get(`${PATH}.csv?user=${randomUUID()}`);

    expect(file.text).toMatch(/^created_at,event_type,user_id,[a-z_,]+\r\n$/);
  });

  test('holds nothing that a spreadsheet would take for a formula', async () => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
    const user = randomUUID();
    const hostile = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', 'a "quoted", text'];
    for (const agent of hostile)
      await givenEvent({ user, agent, provider: agent, address: agent, request: agent });

    const file = await visitor.get(`${PATH}.csv?user=${user}`);

    const cells = recordsOf(file).flatMap(Object.values);
    expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
    expect(cells).toContain("'=1+1");
    expect(cells).toContain('a "quoted", text');
  });

  test('is limited like every other page of administration', async () => {
    const { http } = harness.runtime.config;
    await using served = await serveWith(harness, { http: { ...http, trustedProxyHops: 1 } });
    const visitor = visit(served);
    const statuses: number[] = [];

    for (let n = 0; n < 11; n += 1) {
      statuses.push((await visitor.get(`${PATH}.csv`, { 'X-Forwarded-For': '198.51.100.9' })).status);
    }

    expect(statuses).toEqual([...Array<number>(10).fill(303), 429]);
  });

  test('reads no further when nobody takes it', async () => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
    const user = randomUUID();
    await harness.query(
      `insert into audit_events (id, created_at, event_type, user_id, actor_kind, metadata, user_agent)
       select gen_random_uuid(), '2026-03-01', 'login', $1, 'web', '{}', repeat('x', 500)
       from generate_series(1, 40000) n`,
      [user],
    );
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    let batches = 0;
    const count = () => {
      batches += 1;
    };
    harness.runtime.pool.on('acquire', count);

    const response = await fetch(`${served.url}${PATH}.csv?user=${user}`, { headers: { Cookie: cookie } });
    await response.body?.getReader().read();
    for (let n = 0; n < 50; n += 1) await served.ask('/sessions/new');

    harness.runtime.pool.off('acquire', count);
    expect(batches).toBeGreaterThan(2);
    expect(batches).toBeLessThan(60);
    await response.body?.cancel().catch(() => undefined);
  });
});
