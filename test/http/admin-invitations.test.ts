import { describe, expect, test } from 'vitest';
import { dump, givenVisitor, post, problemsOf } from '#test/http/administrator.ts';
import { auditLog, givenPerson, serveWith } from '#test/http/people.ts';
import { serve } from '#test/http/serve.ts';
import type { Visited } from '#test/http/visitor.ts';
import { useSmtpServer } from '#test/mail/smtp-server.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
const startMailServer = useSmtpServer();

const PATH = '/admin/users/invitations';
const LINK = /http:\/\/localhost:3000\/invitation\?token=[\w-]{43}/;

const emailsOf = ({ root }: Visited) => root.querySelectorAll('tbody th').map(({ text }) => text);
const mailing = (port: number) => ({
  mail: { smtpUrl: `smtp://127.0.0.1:${port}`, from: 'finance@example.com' },
});

describe('an invitation', () => {
  test('is a link to hand over, shown once, where no mail can be sent', async () => {
    await using served = await serve(harness.runtime);
    const { visitor, person } = await givenVisitor(harness, served, { role: 'super_admin' });

    const page = await visitor.fill(PATH, PATH, {
      email: ' New@Example.com ',
      role: 'admin',
      family: person.familyId,
    });
    const later = await visitor.get(PATH);

    expect(page.status).toBe(200);
    expect(page.root.querySelector('.secret')?.text).toMatch(LINK);
    expect(emailsOf(page)).toEqual(['new@example.com']);
    expect(later.text).not.toContain('token=');
    expect(emailsOf(later)).toEqual(['new@example.com']);
    expect(later.text).toContain(person.email);
    expect((await auditLog(harness)).at(-1)).toMatchObject({
      event_type: 'user_invited',
      actor_id: person.id,
      metadata: { email: 'new@example.com', role: 'admin', family_id: person.familyId },
    });
  });

  test('goes by mail where it can, and the page does not show the link', async () => {
    const { port, deliveries } = await startMailServer();
    await using served = await serveWith(harness, mailing(port));
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });

    const page = await visitor.fill(PATH, PATH, { email: 'new@example.com' });

    expect(page.text).toContain('The invitation is on its way by mail.');
    expect(page.text).not.toContain('token=');
    expect(deliveries).toMatchObject([{ to: ['new@example.com'] }]);
    expect(deliveries[0]?.data.replaceAll('=\n', '').replaceAll('=3D', '=')).toMatch(LINK);
  });

  test('is kept and shown as a link when the mail server does not take it', async () => {
    const { port } = await startMailServer({ answers: { RCPT: '550 no such user' } });
    await using served = await serveWith(harness, mailing(port));
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });

    const page = await visitor.fill(PATH, PATH, { email: 'new@example.com' });

    expect(problemsOf(page)).toEqual([expect.stringContaining('The mail could not be sent')]);
    expect(page.root.querySelector('.secret')?.text).toMatch(LINK);
    expect(emailsOf(page)).toEqual(['new@example.com']);
  });

  test.each<[string, Record<string, string>, string, string]>([
    ['no address', { email: 'nonsense' }, '"nonsense" is not an email address', '#email'],
    [
      'an address somebody has',
      { email: 'ada@example.com' },
      'There is already a user ada@example.com',
      '#email',
    ],
    [
      'no such role',
      { role: 'king' },
      'The role must be one of member, admin, super_admin, not "king"',
      '#email',
    ],
    [
      'no such family',
      { family: '00000000-0000-7000-8000-000000000000' },
      'There is no such family',
      '#family',
    ],
    ['a malformed family', { family: 'Smith' }, 'There is no such family', '#family'],
  ])('with %s is refused in its form', async (_, wrong, problem, link) => {
    await using served = await serve(harness.runtime);
    const { visitor, person } = await givenVisitor(harness, served, { role: 'super_admin' });
    await givenPerson(harness, { email: 'ada@example.com' });
    const before = await dump(harness);

    const page = await visitor.fill(PATH, PATH, {
      email: 'new@example.com',
      family: person.familyId,
      ...wrong,
    });

    expect(page.status).toBe(422);
    expect(problemsOf(page)).toEqual([problem]);
    expect(page.root.querySelector('.problems a')?.getAttribute('href')).toBe(link);
    expect(page.root.querySelector('#email')?.getAttribute('value')).toBe(wrong.email ?? 'new@example.com');
    expect(await dump(harness)).toEqual(before);
  });

  test('takes its three fields only', async () => {
    await using served = await serve(harness.runtime);
    const { visitor, person } = await givenVisitor(harness, served, { role: 'super_admin' });
    const ada = await givenPerson(harness);

    await post(visitor, PATH, {
      email: 'new@example.com',
      family: person.familyId,
      role: 'member',
      id: ada.id,
      family_id: ada.familyId,
      invited_by: ada.id,
      token: 'A'.repeat(43),
      expires_at: '2099-01-01',
    });

    const invitations = await harness.query(
      `select email, family_id, role, invited_by, id <> $1 as own_id, expires_at < now() + interval '8 days' as soon
       from invitations`,
      [ada.id],
    );
    expect(invitations).toEqual([
      {
        email: 'new@example.com',
        family_id: person.familyId,
        role: 'member',
        invited_by: person.id,
        own_id: true,
        soon: true,
      },
    ]);
  });
});

describe('withdrawing an invitation', () => {
  test('removes it', async () => {
    await using served = await serve(harness.runtime);
    const { visitor, person } = await givenVisitor(harness, served, { role: 'super_admin' });
    const page = await visitor.fill(PATH, PATH, { email: 'new@example.com' });
    const action = page.root.querySelector('tbody form')?.getAttribute('action') ?? '';

    const after = await visitor.follow(await visitor.submit(page, action));

    expect(after.text).toContain('The invitation is withdrawn.');
    expect(after.text).toContain('Nobody is invited at the moment.');
    expect((await auditLog(harness)).at(-1)).toMatchObject({
      event_type: 'invitation_withdrawn',
      actor_id: person.id,
    });
  });

  test.each(['00000000-0000-7000-8000-000000000000', 'nonsense', 'new@example.com'])(
    'that is not there (%s) is told on the page',
    async (id) => {
      await using served = await serve(harness.runtime);
      const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
      await visitor.fill(PATH, PATH, { email: 'new@example.com' });
      const before = await dump(harness);

      const page = await post(visitor, `${PATH}/${id}/withdraw`);

      expect(page.status).toBe(404);
      expect(problemsOf(page)).toEqual([expect.stringContaining('This invitation is not there any more')]);
      expect(await dump(harness)).toEqual(before);
    },
  );
});
