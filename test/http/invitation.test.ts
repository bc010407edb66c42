import { describe, expect, test } from 'vitest';
import { createFamily } from '#src/ledger/create-family.ts';
import { inviteUser } from '#src/users/invite-user.ts';
import { auditLog, givenPerson, serveWith, signIn } from '#test/http/people.ts';
import { serve } from '#test/http/serve.ts';
import { type Visited, type Visitor, visit } from '#test/http/visitor.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();

const PATH = '/invitation';
const NEW = 'quite another private sentence';
const EMAIL = 'grace@example.com';

/** The path of an invitation into a family that has somebody already. */
async function givenInvitation({ email = EMAIL, role = 'member', familyName = 'Hopper' } = {}) {
  await givenPerson(harness);
  return harness.perform(async (work) => {
    const { id: familyId } = await createFamily(work, { name: familyName, currency: 'USD' });
    const { id, token } = await inviteUser(work, { email, role, familyId });
    return { id, familyId, link: `${PATH}?token=${token}` };
  });
}

function accept(visitor: Visitor, page: Visited, values: Record<string, string> = {}): Promise<Visited> {
  return visitor.submit(page, PATH, { new_password: NEW, new_password_again: NEW, ...values });
}

const graces = () =>
  harness.query('select id, family_id, role, first_name, last_name from users where email = $1', [EMAIL]);

describe('an invitation', () => {
  test('shows whom it is for, makes the account and signs in', async () => {
    await using served = await serve(harness.runtime);
    const { id, familyId, link } = await givenInvitation({ role: 'admin', familyName: 'The <Hoppers>' });
    const visitor = visit(served);

    const page = await visitor.get(link);
    const answer = await accept(visitor, page, { first_name: ' Grace ', last_name: 'Hopper' });

    expect(page.status).toBe(200);
    expect(page.root.querySelectorAll('dl.facts dd').map((fact) => fact.innerHTML)).toEqual([
      'The &lt;Hoppers&gt;',
      EMAIL,
    ]);
    expect(
      page.root
        .querySelectorAll('main input[autocomplete]')
        .map((input) => input.getAttribute('autocomplete')),
    ).toEqual(['username', 'given-name', 'family-name', 'new-password', 'new-password']);
    expect(answer).toMatchObject({ status: 303, location: '/' });
    const home = await visitor.follow(answer);
    expect(home.text).toContain(EMAIL);
    const [grace] = await graces();
    expect(grace).toMatchObject({
      family_id: familyId,
      role: 'admin',
      first_name: 'Grace',
      last_name: 'Hopper',
    });
    expect((await auditLog(harness)).slice(-2)).toMatchObject([
      { event_type: 'user_created', user_id: grace?.id, actor_kind: 'web', metadata: { invitation: id } },
      {
        event_type: 'login',
        user_id: grace?.id,
        actor_id: grace?.id,
        actor_kind: 'web',
        ip_address: '127.0.0.1',
        metadata: { method: 'local' },
      },
    ]);
    await signIn(served, { email: EMAIL }, NEW);
  });

  test('can do without names', async () => {
    await using served = await serve(harness.runtime);
    const { link } = await givenInvitation();
    const visitor = visit(served);

    const answer = await accept(visitor, await visitor.get(link), { first_name: ' ' });

    expect(answer.status).toBe(303);
    expect(await graces()).toMatchObject([{ first_name: null, last_name: null }]);
  });

  test('works once', async () => {
    await using first = await serve(harness.runtime);
    await using second = await serve(harness.runtime);
    const { link } = await givenInvitation();
    const visitors = [visit(first), visit(second)];
    const pages = await Promise.all(visitors.map((visitor) => visitor.get(link)));

    const answers = await Promise.all(visitors.map((visitor, n) => accept(visitor, pages[n] as Visited)));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303, 404]));
    expect(await graces()).toHaveLength(1);
    expect(await harness.query('select 1 from sessions')).toHaveLength(1);
  });

  test.each([
    [{ first_name: 'x'.repeat(101) }, 'first_name', 'The first name must have at most 100 characters'],
    [{ last_name: 'a\u0007' }, 'last_name', 'The last name must not hold control characters'],
    [{ new_password_again: 'other' }, 'new_password_again', 'The two new passwords are not the same'],
    [
      { new_password: 'short', new_password_again: 'short' },
      'new_password',
      'A password must have 12 to 256 characters',
    ],
    [
      { new_password: 'graceexample', new_password_again: 'graceexample' },
      'new_password',
      'This password is easily guessed',
    ],
  ])('stays good when %j is refused, and keeps the names', async (values, field, message) => {
    await using served = await serve(harness.runtime);
    const { link } = await givenInvitation();
    const visitor = visit(served);
    const typed = { first_name: 'Grace "G"', last_name: 'Hopper', ...values };

    const refused = await accept(visitor, await visitor.get(link), typed);

    expect(refused.status).toBe(422);
    expect(refused.root.querySelector(`.problems a[href="#${field}"]`)?.text).toContain(message);
    expect(refused.root.querySelector('input#first_name')?.getAttribute('value')).toBe(typed.first_name);
    expect(refused.root.querySelector('input#last_name')?.getAttribute('value')).toBe(typed.last_name);
    expect(refused.root.querySelectorAll('input[type=password][value]')).toEqual([]);
    expect(await graces()).toEqual([]);
    expect((await accept(visitor, refused, { first_name: '', last_name: '' })).status).toBe(303);
  });

  test.each([
    ['unknown', async () => `${PATH}?token=${'A'.repeat(43)}`],
    ['malformed', async () => `${PATH}?token=x`],
    ['missing', async () => PATH],
    [
      'expired',
      async () => {
        const { link } = await givenInvitation();
        await harness.query('update invitations set expires_at = now()');
        return link;
      },
    ],
    [
      'replaced',
      async () => {
        const { link } = await givenInvitation();
        await givenInvitation();
        return link;
      },
    ],
  ])('that is %s says so', async (_, given) => {
    await using served = await serve(harness.runtime);
    const link = await given();
    const visitor = visit(served);
    const login = await visitor.get('/sessions/new');

    const page = await visitor.get(link);
    const sent = await visitor.send(PATH, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        csrf_token: login.root.querySelector('input[name=csrf_token]')?.getAttribute('value') ?? '',
        token: new URLSearchParams(link.split('?')[1]).get('token') ?? '',
        new_password: NEW,
        new_password_again: NEW,
      }).toString(),
    });

    expect([page.status, sent.status]).toEqual([404, 404]);
    expect(page.root.querySelector('h1')?.text).toBe('This invitation does not work any more');
    expect(page.text).toContain('ask whoever invited you for a new one');
    expect(await graces()).toEqual([]);
  });

  test('is not accepted without the token of the form', async () => {
    await using served = await serve(harness.runtime);
    const { link } = await givenInvitation();
    const visitor = visit(served);

    expect((await accept(visitor, await visitor.get(link), { csrf_token: 'x' })).status).toBe(403);
    expect(await graces()).toEqual([]);
  });

  test('opened by somebody who is signed in says that they will leave', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const { link } = await givenInvitation();
    const visitor = await signIn(served, ada);

    const page = await visitor.get(link);
    const answer = await accept(visitor, page);

    expect(page.root.querySelector('.warning')?.text).toContain(`You are signed in as ${ada.email}.`);
    expect((await visitor.follow(answer)).root.querySelector('.who')?.text).toBe(EMAIL);
    expect(await harness.query('select 1 from sessions where user_id = $1', [ada.id])).toEqual([]);
  });
});

describe('while people do not sign in with a password', () => {
  test.each([true, false])('an invitation says how it is accepted, override %s', async (adminOverride) => {
    await using open = await serve(harness.runtime);
    await using served = await serveWith(harness, { auth: { localLogin: false, adminOverride } });
    const { link } = await givenInvitation({ role: 'super_admin' });
    const before = visit(open);
    const form = await before.get(link);
    const visitor = visit(served);
    for (const [name, value] of before.cookies) visitor.cookies.set(name, value);

    const page = await visitor.get(link);
    const sent = await accept(visitor, form);

    expect(page.status).toBe(200);
    expect(page.text).toContain('Sign in with this address through your company’s provider');
    expect(page.root.querySelector('input[type=password]')).toBeNull();
    expect(sent.status).toBe(403);
    expect(sent.text).toContain('through your company’s provider');
    expect(await graces()).toEqual([]);
    expect(await harness.query('select 1 from invitations')).toHaveLength(1);
  });
});
