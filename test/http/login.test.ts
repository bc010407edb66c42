import { describe, expect, test } from 'vitest';
import { auditLog, givenPerson, PASSWORD, serveWith, signIn } from '#test/http/people.ts';
import { serve } from '#test/http/serve.ts';
import { visit } from '#test/http/visitor.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();

describe('signing in with a form', () => {
  test('leads to the page first asked for, with a cookie that scripts and other sites cannot use', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const visitor = visit(served);

    const sent = await visitor.get('/settings/security?x=1');
    const form = await visitor.follow(sent);
    const answer = await visitor.submit(form, '/sessions', {
      email: ` ${ada.email.toUpperCase()} `,
      password: PASSWORD,
    });

    expect(sent).toMatchObject({
      status: 303,
      location: '/sessions/new?notice=sign_in_first&return_to=%2Fsettings%2Fsecurity%3Fx%3D1',
    });
    expect(form.text).toContain('Sign in to go on.');
    expect(answer).toMatchObject({ status: 303, location: '/settings/security?x=1' });
    const [cookie] = answer.headers.getSetCookie().filter((line) => line.startsWith('finance.session='));
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
    ];

    const [first] = answers;
    expect(first).toMatchObject({ status: 422, cookies: 1 });
    expect(first?.text).toContain('Email or password is wrong');
    expect(answers).toEqual(answers.map(() => first));
    const reasons = (await auditLog(harness)).filter(({ event_type }) => event_type === 'login_failed');
    expect(reasons.slice(-5).map(({ metadata, user_id }) => [Object(metadata).reason, user_id])).toEqual([
      ['wrong_password', ada.id],
      ['unknown_user', null],
      ['no_password', keyOnly.id],
      ['suspended', suspended.id],
      ['wrong_password', ada.id],
    ]);
  });
});
