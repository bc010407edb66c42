import { describe, expect, test } from 'vitest';
import { createApiKey } from '#src/auth/create-api-key.ts';
import { dump, givenVisitor, post, problemsOf } from '#test/http/administrator.ts';
import { givenPerson, signIn } from '#test/http/people.ts';
import { serve } from '#test/http/serve.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenAccount, givenStatement } from '#test/support/given.ts';

const harness = useRuntime();

/** Ada, alone in a family with three entries, with one key and one session. */
async function givenAda(served: Awaited<ReturnType<typeof serve>>) {
  const ada = await givenPerson(harness, { email: 'ada@example.com' });
  const visitor = await signIn(served, ada);
  const account = await givenAccount(harness, { familyId: ada.familyId });
  await givenStatement(harness, account, [
    ['2026-01-01', '-1.00', 'one'],
    ['2026-01-02', '-2.00', 'two'],
    ['2026-01-03', '-3.00', 'three'],
  ]);
  await harness.perform((work) => createApiKey(work, { userId: ada.id, name: 'one', scope: 'read' }));
  return { ada, visitor, path: `/admin/users/${ada.id}/delete` };
}

describe('deleting a user', () => {
  test('says before what goes: keys, sessions, and the ledger of a family that is left without members', async () => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
    const { ada, path } = await givenAda(served);

    const alone = await visitor.get(path);
    await givenPerson(harness, { familyId: ada.familyId });
    const together = await visitor.get(path);

    const items = (page: typeof alone) => page.root.querySelectorAll('main li').map(({ text }) => text);
    expect(items(alone)).toEqual([
      '1 API key',
      '1 session',
      expect.stringMatching(/^the family The ada@exams, because nobody else is left in it.*3 entries$/),
    ]);
    expect(items(together)).toEqual(['1 API key', '1 session']);
  });

  test('takes the typed email, and is over at once in every process', async () => {
    await using one = await serve(harness.runtime);
    await using other = await serve(harness.runtime);
    const { visitor, person: admin } = await givenVisitor(harness, one, { role: 'super_admin' });
    const { ada, path, visitor: adas } = await givenAda(other);

    const page = await visitor.fill(path, path, { confirmation: ' ada@example.com ' });

    expect(page.text).toContain('The user is deleted.');
    expect((await adas.get('/settings/security')).status).toBe(303);
    expect(await harness.query('select id from users')).toEqual([{ id: admin.id }]);
    expect(await harness.query('select 1 from families where id = $1', [ada.familyId])).toEqual([]);
    expect(await harness.query('select 1 from entries')).toEqual([]);
    expect((await visitor.get(`/admin/users/${ada.id}`)).status).toBe(404);
    const log = await visitor.get(`/admin/sso_audit_logs?user=${ada.id}&event=user_deleted`);
    expect(log.text).toContain('Was deleted, and the family with its ledger');
    expect(log.text).toContain('(deleted)');
  });

  test.each(['', ' ', 'ada@example.co', 'ADA@example.com', 'ada@example.com x', 'yes', '%'])(
    'is refused when "%s" is typed, on the page where it was',
    async (confirmation) => {
      await using served = await serve(harness.runtime);
      const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
      const { path } = await givenAda(served);
      const before = await dump(harness);

      const page = await visitor.fill(path, path, { confirmation });

      expect(page.status).toBe(403);
      expect(problemsOf(page)).toEqual(['The text is not the email of the user; nothing was deleted']);
      expect(page.root.querySelector('.problems a')?.getAttribute('href')).toBe('#confirmation');
      expect(page.root.querySelector('#confirmation')?.getAttribute('aria-invalid')).toBe('true');
      expect(await dump(harness)).toEqual(before);
    },
  );

  test('is refused without the field too', async () => {
    await using served = await serve(harness.runtime);
    const { visitor } = await givenVisitor(harness, served, { role: 'super_admin' });
    const { path } = await givenAda(served);
    const before = await dump(harness);

    const page = await post(visitor, path, { email: 'ada@example.com' });

    expect(page.status).toBe(403);
    expect(await dump(harness)).toEqual(before);
  });

  test('is not possible to oneself, with another super admin there too', async () => {
    await using served = await serve(harness.runtime);
    const { visitor, person } = await givenVisitor(harness, served, { role: 'super_admin' });
    await givenPerson(harness, { role: 'super_admin' });
    const before = await dump(harness);
    const path = `/admin/users/${person.id}/delete`;

    const asked = await visitor.get(path);
    const sent = await post(visitor, path, { confirmation: person.email });
    const own = await visitor.get(`/admin/users/${person.id}`);

    for (const page of [asked, sent]) {
      expect(page.status).toBe(403);
      expect(problemsOf(page)).toEqual(['Nobody can delete themselves']);
      expect(page.root.querySelector(`a[href="/admin/users/${person.id}"]`)).not.toBeNull();
    }
    expect(own.root.querySelector(`a[href="${path}"]`)).toBeNull();
    expect(await dump(harness)).toEqual(before);
  });
});
