import { describe, expect, test } from 'vitest';
import { inviteUser } from '#src/users/invite-user.ts';
import { dump, givenVisitor, post, unhurried } from '#test/http/administrator.ts';
import { givenPerson, serveWith } from '#test/http/people.ts';
import { type Served, serve } from '#test/http/serve.ts';
import { visit } from '#test/http/visitor.ts';
import { givenIdentity } from '#test/sso/given-identity.ts';
import { givenProvider } from '#test/sso/given-provider.ts';
import { type Harness, useRuntime } from '#test/support/database.ts';

const harness = useRuntime({ AUTH_PROVIDERS_SOURCE: 'db' });

const PAGES = [
  '/admin',
  '/admin/users',
  '/admin/users/invitations',
  '/admin/users/:id',
  '/admin/users/:id/delete',
  '/admin/users/blocked',
  '/admin/sso_providers',
  '/admin/sso_providers/new',
  '/admin/sso_providers/okta/edit',
  '/admin/sso_providers/okta/delete',
  '/admin/sso_audit_logs',
  '/admin/sso_audit_logs.csv',
];

const FORMS: [path: string, fields: Record<string, string>][] = [
  ['/admin/users/invitations', { email: 'new@example.com', family: ':family', role: 'member' }],
  ['/admin/users/invitations/:invitation/withdraw', {}],
  ['/admin/users/:id/suspend', { reason: 'test' }],
  ['/admin/users/:id/reactivate', {}],
  ['/admin/users/:id/role', { role: 'super_admin' }],
  ['/admin/users/:id/end_sessions', {}],
  ['/admin/users/:id/delete', { confirmation: ':email' }],
  ['/admin/users/:id/sync_roles', {}],
  ['/admin/users/:id/identities/:identity/disconnect', {}],
  ['/admin/users/blocked/unblock', { provider: 'okta', subject: 'blocked' }],
  ['/admin/sso_providers', { strategy: 'openid_connect', name: 'acme', skip_verify: 'true' }],
  ['/admin/sso_providers/okta/edit', { name: 'acme', version: '1' }],
  ['/admin/sso_providers/okta/test', {}],
  ['/admin/sso_providers/okta/try', {}],
  ['/admin/sso_providers/okta/enable', {}],
  ['/admin/sso_providers/okta/disable', {}],
  ['/admin/sso_providers/okta/delete', { force: 'true' }],
];

/** Somebody to act on, as what stands for them in a path or a form. */
async function givenSubject(of: Harness): Promise<(text: string) => string> {
  const { id, email, familyId } = await givenPerson(of);
  const invitation = await of.perform((work) =>
    inviteUser(work, { email: 'invited@example.com', familyId, role: 'admin' }),
  );
  await givenProvider(of);
  const identity = await givenIdentity(of, { userId: id });
  await of.query(`insert into blocked_identities values ('okta', 'blocked', null, now())`);
  const meant = { id, email, family: familyId, invitation: invitation.id, identity };
  return (text) =>
    text.replaceAll(/:(id|email|family|invitation|identity)\b/g, (_, name) => Reflect.get(meant, name));
}

/** A form as a test sends it. */
function filled(fields: Record<string, string>, meant: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, meant(value)]));
}

interface Asking {
  path?: string;
  /** What the n-th request claims about where it comes from. */
  forwardedFor?: (n: number) => string;
}

/** So many requests, one after the other. */
async function ask(
  { url }: Pick<Served, 'url'>,
  count: number,
  { path = '/admin/users', forwardedFor }: Asking = {},
): Promise<Response[]> {
  const answers: Response[] = [];
  for (let n = 0; n < count; n += 1) {
    const address = forwardedFor?.(n);
    const claims = address && {
      'X-Forwarded-For': address,
      'X-Real-IP': address,
      Forwarded: `for="${address}"`,
    };
    answers.push(
      await fetch(url + path, { redirect: 'manual', headers: { Accept: 'text/html', ...claims } }),
    );
  }
  return answers;
}

const statuses = (answers: Response[]) => answers.map(({ status }) => status);

describe('everything under /admin', () => {
  test.each(PAGES)('sends somebody who is not signed in from %s to do so, and back', async (path) => {
    await using served = await serve(harness.runtime);
    const meant = await givenSubject(harness);

    const answer = await visit(served).get(meant(path));

    const back = encodeURIComponent(meant(path));
    expect(answer).toMatchObject({
      status: 303,
      location: `/sessions/new?notice=sign_in_first&return_to=${back}`,
    });
  });

  test('takes no form from somebody who is not signed in', async () => {
    await using served = await serve(harness.runtime);
    const meant = await givenSubject(harness);
    const visitor = unhurried(harness, visit(served));
    const before = await dump(harness);

    for (const [path, fields] of FORMS) {
      const answer = await post(visitor, meant(path), filled(fields, meant));

      expect([path, answer.status, answer.location]).toEqual([
        path,
        303,
        '/sessions/new?notice=sign_in_first',
      ]);
    }
    expect(await dump(harness)).toEqual(before);
  });

  test.each(['member', 'admin'])('is refused to a %s, page by page and form by form', async (role) => {
    await using served = await serve(harness.runtime);
    const meant = await givenSubject(harness);
    const { visitor } = await givenVisitor(harness, served, { role });
    const before = await dump(harness);

    for (const path of PAGES) {
      const answer = await visitor.get(meant(path));
      expect([path, answer.status]).toEqual([path, 403]);
      expect(answer.text).toContain('Only super admins may do this');
    }
    for (const [path, fields] of FORMS) {
      const answer = await post(visitor, meant(path), filled(fields, meant));
      expect([path, answer.status]).toEqual([path, 403]);
      expect(answer.text).toContain('Only super admins may do this');
    }
    expect(await dump(harness)).toEqual(before);
  });

  test('is open to a super admin', async () => {
    await using served = await serve(harness.runtime);
    const meant = await givenSubject(harness);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });

    for (const path of PAGES) {
      const answer = await visitor.follow(await visitor.get(meant(path)));
      expect([path, answer.status]).toEqual([path, 200]);
    }
  });

  test.each(FORMS)('takes %s from a page of its own only', async (path, fields) => {
    await using served = await serve(harness.runtime);
    const meant = await givenSubject(harness);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
    const before = await dump(harness);

    for (const csrf_token of ['', 'nonsense', 'A'.repeat(43)]) {
      const answer = await post(visitor, meant(path), { ...filled(fields, meant), csrf_token });
      expect(answer.status).toBe(403);
      expect(answer.text).toContain('This form is out of date');
    }
    const foreign = await post(visitor, meant(path), filled(fields, meant), { Origin: 'https://evil.test' });

    expect(foreign.status).toBe(403);
    expect(await dump(harness)).toEqual(before);
  });

  test('follows the role of the moment, in every process', async () => {
    await using one = await serve(harness.runtime);
    await using other = await serve(harness.runtime);
    const { person, visitor } = await givenVisitor(harness, one);
    const { visitor: admin } = await givenVisitor(harness, other, { role: 'super_admin' });
    const statusNow = async () => (await visitor.get('/admin/users')).status;
    const before = await statusNow();

    await admin.fill(`/admin/users/${person.id}`, `/admin/users/${person.id}/role`, { role: 'super_admin' });
    const promoted = await statusNow();
    await admin.fill(`/admin/users/${person.id}`, `/admin/users/${person.id}/role`, { role: 'admin' });

    expect([before, promoted, await statusNow()]).toEqual([403, 200, 403]);
  });

  test('has the headers of every page', async () => {
    await using served = await serve(harness.runtime);
    const meant = await givenSubject(harness);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });

    for (const path of PAGES.filter((page) => page !== '/admin')) {
      const { headers } = await visitor.get(meant(path));
      expect(headers.get('Cache-Control')).toBe('private, no-store');
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      if (path.endsWith('.csv')) continue;
      expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'");
      expect(headers.get('X-Frame-Options')).toBe('DENY');
    }
  });
});

describe('the limit of the admin pages', () => {
  const TEN = Array<number>(10).fill(303);

  test('answers the 11th request of a minute with a page that says when to come back', async () => {
    await using served = await serve(harness.runtime);

    const answers = await ask(served, 11);

    const last = answers.at(-1);
    const page = (await last?.text()) ?? '';
    const wait = Number(last?.headers.get('Retry-After'));
    expect(statuses(answers)).toEqual([...TEN, 429]);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    expect(last?.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(page).toContain(`Come back in ${wait} seconds`);
  });

  test('ends with its minute', async () => {
    await using served = await serve(harness.runtime);
    await ask(served, 11);
    await harness.query(
      `update rate_limits set window_start = now() - interval '61 s', window_end = now() - interval '1 s'`,
    );

    const answers = await ask(served, 1);

    expect(statuses(answers)).toEqual([303]);
  });

  test('counts over all processes', async () => {
    await using one = await serve(harness.runtime);
    await using other = await serve(harness.runtime);

    const answers = [...(await ask(one, 6)), ...(await ask(other, 5))];

    expect(statuses(answers)).toEqual([...TEN, 429]);
  });

  test('counts what leads nowhere, and comes before the question who asks', async () => {
    await using served = await serve(harness.runtime);
    const { person, visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
    await harness.query("delete from rate_limits where key like 'admin:%'");
    const nowhere = await ask(served, 5, { path: '/admin/nothing' });
    const shouted = await ask(served, 5, { path: '/ADMIN/users' });

    const { url } = served;
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const signedIn = await fetch(`${url}/admin/users/${person.id}`, {
      headers: { Accept: 'text/html', Cookie: cookie },
    });

    expect(statuses([...nowhere, ...shouted])).toEqual(Array<number>(10).fill(404));
    expect(signedIn.status).toBe(429);
  });

  test('does not touch other pages', async () => {
    await using served = await serve(harness.runtime);
    await ask(served, 11);

    const answers = await ask(served, 1, { path: '/sessions/new' });

    expect(statuses(answers)).toEqual([200]);
  });

  test('cannot be evaded by naming other addresses', async () => {
    await using served = await serve(harness.runtime);

    const answers = await ask(served, 11, { forwardedFor: (n) => `203.0.113.${n}` });

    expect(statuses(answers).at(-1)).toBe(429);
  });

  test('counts the address that the one trusted proxy has seen', async () => {
    const { http } = harness.runtime.config;
    await using served = await serveWith(harness, { http: { ...http, trustedProxyHops: 1 } });

    const answers = await ask(served, 11, { forwardedFor: (n) => `203.0.113.${n}, 198.51.100.1` });
    const others = await ask(served, 1, { forwardedFor: (n) => `203.0.113.${n}, 198.51.100.2` });

    expect(statuses(answers)).toEqual([...TEN, 429]);
    expect(statuses(others)).toEqual([303]);
  });
});
