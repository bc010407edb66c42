import { describe, expect, test } from 'vitest';
import { createApiKey } from '#src/auth/create-api-key.ts';
import { createFamily } from '#src/ledger/create-family.ts';
import { createUser } from '#src/users/create-user.ts';
import { suspendUser } from '#src/users/suspend-user.ts';
import { dump, givenVisitor, post, problemsOf } from '#test/http/administrator.ts';
import { auditLog, givenPerson, PASSWORD, signIn } from '#test/http/people.ts';
import { serve } from '#test/http/serve.ts';
import type { Visited } from '#test/http/visitor.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();

/** What each row of the list says. */
const rowsOf = ({ root }: Visited) =>
  root
    .querySelectorAll('tbody tr')
    .map((row) => row.querySelectorAll('th, td').map(({ text }) => text.trim()));
const emailsOf = (page: Visited) => rowsOf(page).map(([email]) => email);

const factsOf = ({ root }: Visited) => {
  const said = root.querySelectorAll('dl.facts dd').map(({ text }) => text);
  return Object.fromEntries(root.querySelectorAll('dl.facts dt').map(({ text }, at) => [text, said[at]]));
};

/** The administrator's family, and the Smiths: Ada who has never signed in, Bob who is suspended, Cy without a password. */
async function givenPeople(served: Awaited<ReturnType<typeof serve>>) {
  const admin = await givenVisitor(harness, served, { role: 'super_admin', email: 'root@example.com' });
  const familyId = await harness.perform(async (work) => {
    const { id } = await createFamily(work, { name: 'Smith', currency: 'USD' });
    const names = { firstName: 'Ada', lastName: 'Smith' };
    await createUser(work, {
      familyId: id,
      email: 'ada@example.com',
      role: 'admin',
      password: PASSWORD,
      ...names,
    });
    await createUser(work, { familyId: id, email: 'bob_1@example.com', role: 'member', password: PASSWORD });
    await createUser(work, { familyId: id, email: 'cy%@example.com', role: 'member' });
    await suspendUser(work, { user: 'bob_1@example.com' });
    return id;
  });
  return { ...admin, familyId };
}

describe('the list of users', () => {
  test('shows everybody by email', async () => {
    await using served = await serve(harness.runtime);
    const { visitor, person, familyId } = await givenPeople(served);

    const page = await visitor.get('/admin/users');

    const today = new Date().toISOString().slice(0, 10);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
    expect(rowsOf(page)).toEqual([
      ['ada@example.com', 'Ada Smith', 'Smith', 'Family admin', 'Active', 'Password', '–', today],
      ['bob_1@example.com', '–', 'Smith', 'Member', 'Suspended', 'Password', '–', today],
      ['cy%@example.com', '–', 'Smith', 'Member', 'Active', 'None', '–', today],
      ['root@example.com', '–', 'The root@exas', 'Super admin', 'Active', 'Password', time, today],
    ]);
    expect(page.root.querySelector('caption')?.text).toContain('4 users');
    const links = page.root.querySelectorAll('tbody a').map((link) => link.getAttribute('href'));
    expect(links).toContain(`/admin/users/${person.id}`);
    expect(links).toContain(`/admin/users?family=${familyId}`);
  });

  test.each<[query: string, emails: string[]]>([
    ['search=ADA', ['ada@example.com']],
    ['search=a+smi', ['ada@example.com']],
    ['search=%25', ['cy%@example.com']],
    ['search=_', ['bob_1@example.com']],
    ['search=%20', ['ada@example.com', 'bob_1@example.com', 'cy%@example.com', 'root@example.com']],
    ['role=member', ['bob_1@example.com', 'cy%@example.com']],
    ['role=super_admin', ['root@example.com']],
    ['status=suspended', ['bob_1@example.com']],
    ['status=active', ['ada@example.com', 'cy%@example.com', 'root@example.com']],
    ['method=none', ['cy%@example.com']],
    ['method=password', ['ada@example.com', 'bob_1@example.com', 'root@example.com']],
    ['family=:family', ['ada@example.com', 'bob_1@example.com', 'cy%@example.com']],
    ['family=:family&status=active&method=password&role=admin&search=example', ['ada@example.com']],
    ['family=00000000-0000-0000-0000-000000000000', []],
    ['search=nobody', []],
    ['nonsense=1', ['ada@example.com', 'bob_1@example.com', 'cy%@example.com', 'root@example.com']],
  ])('is filtered by the address: %s', async (query, emails) => {
    await using served = await serve(harness.runtime);
    const { visitor, familyId } = await givenPeople(served);

    const page = await visitor.get(`/admin/users?${query.replace(':family', familyId)}`);

    expect(page.status).toBe(200);
    expect(emailsOf(page)).toEqual(emails);
    if (emails.length === 0) expect(page.text).toContain('No users match');
  });

  test('is filtered by its form, which remembers the choice and keeps it in the address', async () => {
    await using served = await serve(harness.runtime);
    const { visitor, familyId } = await givenPeople(served);
    const values = { search: 'example', role: 'member', status: 'active', family: familyId, method: 'none' };

    const first = await visitor.get('/admin/users');
    const page = await visitor.submit(first, '/admin/users', values);

    expect(emailsOf(page)).toEqual(['cy%@example.com']);
    const again = await visitor.submit(page, '/admin/users');
    expect(emailsOf(again)).toEqual(['cy%@example.com']);
  });

  test.each([
    ['role=king', 'The role must be one of member, admin, super_admin, not "king"'],
    ['status=gone', 'The status must be one of active, suspended, not "gone"'],
    ['method=magic', 'The sign-in method must be one of password, none, not "magic"'],
    ['family=Smith', 'The family must be given by its id'],
    ['role=admin&role=member', 'role: given more than once'],
    ['search=a%00b', 'search: must be plain text'],
    [`search=${'x'.repeat(201)}`, 'The search must have at most 200 characters, not 201'],
    [
      'role[]=admin&family[$ne]=1&role=%3Cscript%3E',
      'The role must be one of member, admin, super_admin, not "<script>"',
    ],
  ])('shows its form again when it cannot be filtered by %s', async (query, problem) => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenPeople(served);

    const page = await visitor.get(`/admin/users?${query}`);

    expect(page.status).toBe(422);
    expect(problemsOf(page)).toEqual([problem]);
    expect(page.root.querySelector('form[action="/admin/users"]')).not.toBeNull();
    expect(page.root.querySelector('table')).toBeNull();
  });

  test('comes in pages of 25 that keep the filter', async () => {
    await using served = await serve(harness.runtime);
    const { visitor, familyId } = await givenPeople(served);
    await harness.perform(async (work) => {
      for (let n = 10; n < 37; n += 1) await createUser(work, { familyId, email: `many${n}@example.com` });
    });

    const first = await visitor.get('/admin/users?search=many&role=member');
    const next = first.root.querySelector('a[rel=next]')?.getAttribute('href') ?? '';
    const second = await visitor.get(next);
    const beyond = await visitor.get('/admin/users?search=many&page=7');

    expect(emailsOf(first)).toHaveLength(25);
    expect(first.text).toContain('Page 1 of 2');
    expect(emailsOf(second)).toEqual(['many35@example.com', 'many36@example.com']);
    expect(second.root.querySelector('a[rel=prev]')?.getAttribute('href')).toBe(
      '/admin/users?search=many&role=member',
    );
    expect(beyond.text).toContain('There is no page 7');
  });

  test.each(['0', '-1', 'x', '1e3', '99999999999999999999'])('has a page for ?page=%s too', async (page) => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenPeople(served);

    expect((await visitor.get(`/admin/users?page=${page}`)).status).toBe(200);
  });

  test('asks for the id of a family where there are too many to choose from', async () => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenPeople(served);
    await harness.query(
      `insert into families (id, name, currency, transfer_matching, demo, created_at, updated_at)
       select gen_random_uuid(), 'Family ' || n, 'USD', true, false, now(), now() from generate_series(1, 100) n`,
    );

    const page = await visitor.get('/admin/users');

    expect(page.root.querySelector('input[name=family]')).not.toBeNull();
    expect(page.root.querySelector('select[name=family]')).toBeNull();
  });
});

describe('the page of a user', () => {
  test('tells what there is to know', async () => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
    const ada = await givenPerson(harness, { role: 'admin', email: 'ada@example.com' });
    await signIn(served, ada);
    await harness.query(
      `update sessions set user_agent = 'Netscape/4', ip_address = '198.51.100.7' where user_id = $1`,
      [ada.id],
    );
    await harness.perform(async (work) => {
      await createApiKey(work, { userId: ada.id, name: 'one', scope: 'read' });
    });

    const page = await visitor.get(`/admin/users/${ada.id.toUpperCase()}`);

    expect(page.root.querySelectorAll('h1').map(({ text }) => text)).toEqual(['ada@example.com']);
    expect(factsOf(page)).toMatchObject({
      Family: 'The ada@exams',
      Role: 'Family admin',
      Status: 'Active',
      'Sign-in method': 'Password',
      'API keys in force': '1',
      Id: ada.id,
    });
    expect(rowsOf(page)).toEqual([['198.51.100.7', 'Netscape/4', expect.any(String), expect.any(String)]]);
    expect(page.root.querySelector(`a[href="/admin/sso_audit_logs?user=${ada.id}"]`)).not.toBeNull();
  });

  test.each(['', '/delete'])(
    'is the same 404 for an unknown and a malformed id: /admin/users/:id%s',
    async (rest) => {
      await using served = await serve(harness.runtime);
      const { visitor, person } = await givenVisitor(harness, served, { role: 'super_admin' });
      const known = { 'X-Request-Id': 'same' };

      const answers = await Promise.all(
        ['00000000-0000-7000-8000-000000000000', 'nonsense', person.email, `${person.id}0`, '%27'].map((id) =>
          visitor.get(`/admin/users/${id}${rest}`, known),
        ),
      );

      const [first] = answers;
      expect(first).toMatchObject({ status: 404, text: expect.stringContaining('User not found') });
      expect(answers.map(({ status, text }) => [status, text])).toEqual(
        answers.map(() => [404, first?.text]),
      );
    },
  );

  test.each(['suspend', 'reactivate', 'role', 'end_sessions', 'delete'])(
    'is the same 404 for an unknown and a malformed id: POST …/%s',
    async (change) => {
      await using served = await serve(harness.runtime);
      const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
      const send = (id: string) =>
        post(
          visitor,
          `/admin/users/${id}/${change}`,
          { role: 'admin', confirmation: 'x' },
          { 'X-Request-Id': 'same' },
        );

      const unknown = await send('00000000-0000-7000-8000-000000000000');
      const malformed = await send('nonsense');

      expect(unknown.status).toBe(404);
      expect([malformed.status, malformed.text]).toEqual([404, unknown.text]);
    },
  );

  test('escapes what people have written', async () => {
    await using served = await serve(harness.runtime);
    const { visitor, person } = await givenVisitor(harness, served, { role: 'super_admin' });
    const evil = '"><script>alert(1)</script>\'';
    await harness.query('update users set first_name = $2, last_name = $2 where id = $1', [person.id, evil]);
    await harness.query('update families set name = $1', [evil]);
    await harness.query('update sessions set user_agent = $1, ip_address = $1', [evil]);
    await visitor.fill(`/admin/users/${person.id}`, `/admin/users/${person.id}/role`, {
      role_reason: evil,
      role: evil,
    });

    const pages = [
      `/admin/users`,
      `/admin/users?search=${encodeURIComponent(evil)}`,
      `/admin/users?role=${encodeURIComponent(evil)}`,
      `/admin/users/${person.id}`,
      '/admin/users/invitations',
      `/admin/sso_audit_logs?user=${encodeURIComponent(evil)}&event=${encodeURIComponent(evil)}`,
      '/admin/sso_audit_logs',
    ];
    for (const path of pages) {
      const { text } = await visitor.get(path);
      expect([path, text.includes('<script')]).toEqual([path, false]);
    }
    expect((await visitor.get('/admin/users')).text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });
});

describe('suspending', () => {
  test('puts a user out at the next click in every process, and their keys too; reactivating lets them in again', async () => {
    await using one = await serve(harness.runtime);
    await using other = await serve(harness.runtime);
    const { visitor: admin } = await givenVisitor(harness, one, { role: 'super_admin' });
    const { visitor: ada, person } = await givenVisitor(harness, other);
    const { key } = await harness.perform((work) =>
      createApiKey(work, { userId: person.id, name: 'one', scope: 'read' }),
    );
    const ask = async () => (await other.ask('/api/v1/accounts', { headers: { 'X-Api-Key': key } })).status;
    const click = async () => (await ada.get('/settings/security')).status;
    const path = `/admin/users/${person.id}`;
    const before = [await ask(), await click()];

    const suspended = await admin.fill(path, `${path}/suspend`, { reason: 'lost laptop' });
    const during = [await ask(), await click()];
    const reactivated = await admin.fill(path, `${path}/reactivate`);

    expect(before).toEqual([200, 200]);
    expect(suspended.text).toContain('The user is suspended, and signed out everywhere.');
    expect(factsOf(suspended).Status).toMatch(/^Suspended since /);
    expect(suspended.text).toContain('Not signed in anywhere.');
    expect(during).toEqual([401, 303]);
    expect(reactivated.text).toContain('The user is active again.');
    expect([await ask(), await click()]).toEqual([200, 303]);
    expect((await signIn(other, person)).cookies.has('finance.session')).toBe(true);
  });

  test('twice is refused on the page, and so is reactivating somebody active', async () => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
    const ada = await givenPerson(harness, { email: 'ada@example.com' });
    const path = `/admin/users/${ada.id}`;

    const active = await post(visitor, `${path}/reactivate`);
    await post(visitor, `${path}/suspend`);
    const before = await dump(harness);
    const twice = await post(visitor, `${path}/suspend`, { reason: 'again' });

    expect([active.status, ...problemsOf(active)]).toEqual([409, expect.stringMatching(/is not suspended/i)]);
    expect([twice.status, ...problemsOf(twice)]).toEqual([
      409,
      expect.stringMatching(/is already suspended/i),
    ]);
    expect(twice.root.querySelector(`form[action="${path}/reactivate"]`)).not.toBeNull();
    expect(await dump(harness)).toEqual(before);
  });
});

describe('the last active super admin', () => {
  test.each<[string, Record<string, string>]>([
    ['suspend', { reason: 'because' }],
    ['role', { role: 'member', role_reason: 'because' }],
  ])('is told on the page why POST …/%s changes nothing', async (change, fields) => {
    await using served = await serve(harness.runtime);
    const { visitor, person } = await givenVisitor(harness, served, { role: 'super_admin' });
    const gone = await givenPerson(harness, { role: 'super_admin' });
    await harness.perform((work) => suspendUser(work, { user: gone.id }));
    const before = await dump(harness);
    const path = `/admin/users/${person.id}`;

    const page = await visitor.fill(path, `${path}/${change}`, fields);

    expect(page.status).toBe(403);
    expect(problemsOf(page)).toEqual([
      expect.stringMatching(/^[a-z0-9-]+@\S+ is the last active super admin/),
    ]);
    expect(page.root.querySelector('title')?.text).toMatch(/^Error: /);
    expect(page.root.querySelector('input[value=because]')).not.toBeNull();
    expect(await dump(harness)).toEqual(before);
  });
});

describe('a role', () => {
  test('is changed with a reason; nothing else comes in through the form', async () => {
    await using served = await serve(harness.runtime);
    const { visitor, person: admin } = await givenVisitor(harness, served, { role: 'super_admin' });
    const ada = await givenPerson(harness, { email: 'ada@example.com' });
    const bob = await givenPerson(harness, { email: 'bob@example.com' });

    const answer = await post(visitor, `/admin/users/${ada.id}/role`, {
      role: 'admin',
      role_reason: 'she asked',
      id: bob.id,
      user: bob.email,
      user_id: bob.id,
      family_id: admin.familyId,
      familyId: admin.familyId,
      email: 'eve@example.com',
      password_digest: 'x',
      suspended_at: '2026-01-01',
    });

    expect(answer).toMatchObject({ status: 303, location: `/admin/users/${ada.id}?notice=role_saved` });
    const people = await harness.query(
      `select email, role, family_id, suspended_at from users where id <> $1 order by email`,
      [admin.id],
    );
    expect(people).toEqual([
      { email: 'ada@example.com', role: 'admin', family_id: ada.familyId, suspended_at: null },
      { email: 'bob@example.com', role: 'member', family_id: bob.familyId, suspended_at: null },
    ]);
    expect((await auditLog(harness)).at(-1)).toMatchObject({
      event_type: 'role_changed',
      metadata: { old: 'member', new: 'admin', reason: 'she asked' },
    });
  });

  test('is not changed by other forms', async () => {
    await using served = await serve(harness.runtime);
    const { visitor, person: admin } = await givenVisitor(harness, served, { role: 'super_admin' });
    const ada = await givenPerson(harness);

    await post(visitor, `/admin/users/${ada.id}/suspend`, {
      role: 'super_admin',
      family_id: admin.familyId,
      id: admin.id,
    });

    expect(
      await harness.query('select role, family_id, suspended_at is null as active from users where id = $1', [
        ada.id,
      ]),
    ).toEqual([{ role: 'member', family_id: ada.familyId, active: false }]);
    expect(
      await harness.query('select 1 from users where id = $1 and suspended_at is null', [admin.id]),
    ).toHaveLength(1);
  });

  test.each<[Record<string, string>, string]>([
    [{ role: 'king' }, 'The role must be one of member, admin, super_admin, not "king"'],
    [{ role: '' }, 'The role must be one of member, admin, super_admin, not ""'],
    [{}, 'Role: must be given'],
  ])('must be one of three: %o', async (fields, problem) => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
    const ada = await givenPerson(harness);
    const before = await dump(harness);

    const page = await post(visitor, `/admin/users/${ada.id}/role`, fields);

    expect(page.status).toBe(422);
    expect(problemsOf(page)).toEqual([problem]);
    expect(await dump(harness)).toEqual(before);
  });

  test('given up by a super admin leads out of these pages', async () => {
    await using served = await serve(harness.runtime);
    const { visitor, person } = await givenVisitor(harness, served, { role: 'super_admin' });
    await givenPerson(harness, { role: 'super_admin' });
    const path = `/admin/users/${person.id}`;

    const page = await visitor.fill(path, `${path}/role`, { role: 'member' });

    expect(page.status).toBe(200);
    expect(page.text).toContain('The role is saved.');
    expect((await visitor.get('/admin/users')).status).toBe(403);
  });
});

describe('ending sessions', () => {
  test('signs a user out everywhere, and nobody else', async () => {
    await using served = await serve(harness.runtime);
    const { visitor: admin } = await givenVisitor(harness, served, { role: 'super_admin' });
    const { visitor: ada, person } = await givenVisitor(harness, served);
    await signIn(served, person);
    const path = `/admin/users/${person.id}`;

    const page = await admin.fill(path, `${path}/end_sessions`);

    expect(page.text).toContain('The user is signed out everywhere.');
    expect((await ada.get('/settings/security')).status).toBe(303);
    expect(await harness.query('select 1 from sessions')).toHaveLength(1);
  });
});

describe('the audit log', () => {
  test.each<[string, Record<string, string>, string]>([
    ['suspend', { reason: 'lost laptop' }, 'user_suspended'],
    ['role', { role: 'admin' }, 'role_changed'],
    ['end_sessions', {}, 'logout'],
    ['delete', { confirmation: 'ada@example.com' }, 'user_deleted'],
  ])(
    'names who did POST …/%s, from where and with what, at most 500 characters of it',
    async (change, fields, type) => {
      await using served = await serve(harness.runtime);
      const { visitor, person: admin } = await givenVisitor(harness, served, { role: 'super_admin' });
      const ada = await givenPerson(harness, { email: 'ada@example.com' });
      await signIn(served, ada);

      await post(visitor, `/admin/users/${ada.id}/${change}`, fields, {
        'User-Agent': `Netscape\u0085${'x'.repeat(600)}`,
        'X-Request-Id': 'request-1',
      });

      const [entry] = (await auditLog(harness)).slice(-1);
      expect(entry).toMatchObject({
        event_type: type,
        user_id: ada.id,
        actor_id: admin.id,
        actor_kind: 'web',
        ip_address: '127.0.0.1',
        request_id: 'request-1',
      });
      expect(String(entry?.user_agent)).toMatch(/^Netscapex{400,492}$/);
    },
  );
});
