import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { returnPath } from '#src/http/web/return-path.ts';
import { ELSEWHERE } from '#test/http/elsewhere.ts';
import { givenPerson, PASSWORD, signIn } from '#test/http/people.ts';
import { serve } from '#test/http/serve.ts';
import { type Visitor, visit } from '#test/http/visitor.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

async function tokenOf(visitor: Visitor, path: string): Promise<string> {
  const page = await visitor.get(path);
  return page.root.querySelector('input[name=csrf_token]')?.getAttribute('value') ?? '';
}

function leave(visitor: Visitor, token: string | undefined, headers: Record<string, string> = {}) {
  const body = token === undefined ? '' : new URLSearchParams({ csrf_token: token }).toString();
  return visitor.send('/logout', { method: 'POST', headers: { ...FORM, ...headers }, body });
}

describe('a form', () => {
  test.each([
    ['without a token', async () => undefined],
    ['with an empty token', async () => ''],
    ['with nonsense', async () => 'nonsense'],
    [
      "with another session's token",
      async (url: string) => tokenOf(await signIn({ url }, await givenPerson(harness)), '/settings/security'),
    ],
    ['with the token of a visitor', async (url: string) => tokenOf(visit({ url }), '/sessions/new')],
  ])('is refused %s, and nothing changes', async (_, token) => {
    await using served = await serve(harness.runtime);
    const visitor = await signIn(served, await givenPerson(harness));

    const answer = await leave(visitor, await token(served.url));

    expect(answer.status).toBe(403);
    expect(answer.text).toContain('This form is out of date');
    expect((await visitor.get('/settings/security')).status).toBe(200);
  });

  test.each([
    [{ 'Sec-Fetch-Site': 'cross-site' }],
    [{ 'Sec-Fetch-Site': 'same-site' }],
    [{ Origin: 'https://evil.test' }],
    [{ Origin: 'null' }],
    [{ Origin: 'http://127.0.0.1:1' }],
    [{ Origin: 'https://localhost:3000' }],
    [{ 'Sec-Fetch-Site': 'cross-site', Origin: 'http://localhost:3000' }],
  ])('is refused from %o, with the right token too', async (headers) => {
    await using served = await serve(harness.runtime);
    const visitor = await signIn(served, await givenPerson(harness));
    const token = await tokenOf(visitor, '/settings/security');

    const answer = await leave(visitor, token, headers);

    expect(answer.status).toBe(403);
    expect(answer.text).toContain('came from another site');
    expect((await visitor.get('/settings/security')).status).toBe(200);
  });

  test.each([[{ 'Sec-Fetch-Site': 'same-origin' }], [{ Origin: 'http://localhost:3000' }], [{}]])(
    'is taken from %o',
    async (headers) => {
      await using served = await serve(harness.runtime);
      const visitor = await signIn(served, await givenPerson(harness));

      const answer = await leave(visitor, await tokenOf(visitor, '/settings/security'), headers);

      expect(answer).toMatchObject({ status: 303, location: '/sessions/new?notice=signed_out' });
    },
  );

  test('for signing in is protected too: nobody can be signed in as somebody else', async () => {
    await using served = await serve(harness.runtime);
    const ada = await givenPerson(harness);
    const token = await tokenOf(visit(served), '/sessions/new');
    const body = new URLSearchParams({ csrf_token: token, email: ada.email, password: PASSWORD }).toString();

    const victim = visit(served);
    await victim.get('/sessions/new');
    const answer = await victim.send('/sessions', { method: 'POST', headers: FORM, body });

    expect(answer.status).toBe(403);
    expect(await harness.query('select 1 from sessions')).toEqual([]);
  });

  test('with a field twice is refused', async () => {
    await using served = await serve(harness.runtime);

    const answer = await visit(served).send('/sessions', {
      method: 'POST',
      headers: { ...FORM, Accept: 'application/json' },
      body: 'email=a%40example.com&email=b%40example.com&password=x',
    });

    expect(answer.status).toBe(422);
    expect(answer.text).toContain('email: given more than once');
  });
});

describe('requests that no form can make', () => {
  test.each([
    ['POST', '/sessions', { 'Content-Type': 'application/json', Origin: 'https://evil.test' }],
    ['DELETE', '/sessions', { Origin: 'https://evil.test' }],
    ['DELETE', '/sessions', { 'Sec-Fetch-Site': 'cross-site' }],
  ])('%s %s is refused from another site', async (method, path, headers) => {
    await using served = await serve(harness.runtime);
    const visitor = await signIn(served, await givenPerson(harness));

    const answer = await visitor.send(path, { method, headers, ...(method === 'POST' && { body: '{}' }) });

    expect(answer.status).toBe(403);
    expect((await visitor.get('/settings/security')).status).toBe(200);
  });
});

describe('where to go after signing in', () => {
  test.each([...ELSEWHERE, '', '/\n/evil.test', '/a//evil.test', '/a/../..//evil.test'])(
    '%j is not followed',
    (path) => {
      expect(returnPath(path)).toBe('/');
    },
  );

  test.each(['https://evil.test/', '//evil.test', '/\\evil.test'])(
    '%j is not followed from the form either',
    async (path) => {
      await using served = await serve(harness.runtime);
      const ada = await givenPerson(harness);
      const visitor = visit(served);
      const page = await visitor.get(`/sessions/new?return_to=${encodeURIComponent(path)}`);

      const answer = await visitor.submit(page, '/sessions', {
        email: ada.email,
        password: PASSWORD,
        return_to: path,
      });

      expect(answer).toMatchObject({ status: 303, location: '/' });
    },
  );

  test.each(['/settings/security', '/admin/users?search=a%40b&page=2', '/auth/keycloak_1/callback'])(
    '%s is',
    (path) => {
      expect(returnPath(path)).toBe(path);
    },
  );

  test('whatever is asked for, it stays on this origin', () => {
    const pieces = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '%2f',
      '%5c',
      '@',
      ':',
      '?',
      '#',
      '&',
      'evil.test',
      'https',
      '\t',
      '\n',
      ' ',
      'a',
    );

    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const target = new URL(returnPath(parts.join('')), 'https://money.example/sessions');
        expect(target.origin).toBe('https://money.example');
      }),
      { numRuns: 2_000 },
    );
  });
});
