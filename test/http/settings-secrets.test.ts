import { expect, test } from 'vitest';
import { inviteUser } from '#src/users/invite-user.ts';
import { auditLog, givenPerson } from '#test/http/people.ts';
import { recordingLog, serve } from '#test/http/serve.ts';
import { type Visited, type Visitor, visit } from '#test/http/visitor.ts';
import { useSmtpServer } from '#test/mail/smtp-server.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
const smtpServer = useSmtpServer();

const PASSWORDS = [
  'marker-one-of-ada',
  'marker-two-of-ada',
  'marker-three-of-ada',
  'marker-of-grace-x',
  'marker-refused',
];
const [FIRST = '', SECOND = '', THIRD = '', GRACES = '', REFUSED = ''] = PASSWORDS;

const twice = (password: string) => ({ new_password: password, new_password_again: password });

test('passwords, tokens and keys are in no log line, no audit entry and on no page but the one', async () => {
  const { port, deliveries } = await smtpServer();
  const { log, lines } = recordingLog('debug');
  const mail = { smtpUrl: `smtp://127.0.0.1:${port}`, from: 'finance@example.com' };
  await using served = await serve({ ...harness.runtime, log, config: { ...harness.runtime.config, mail } });
  const ada = await givenPerson(harness, { password: FIRST });
  const invitation = await harness.perform((work) =>
    inviteUser(work, { email: 'grace@example.com', role: 'member', familyId: ada.familyId }),
  );
  const pages: Visited[] = [];
  const seen = async (page: Promise<Visited>) => {
    pages.push(await page);
    return page;
  };
  const submit = async (visitor: Visitor, path: string, action: string, values: Record<string, string>) =>
    seen(visitor.submit(await seen(visitor.get(path)), action, values));

  const visitor = visit(served);
  await submit(visitor, '/sessions/new', '/sessions', { email: ada.email, password: REFUSED });
  await submit(visitor, '/sessions/new', '/sessions', { email: ada.email, password: FIRST });
  const change = { action: '/settings/password', path: '/settings/security' };
  await submit(visitor, change.path, change.action, { current_password: REFUSED, ...twice(SECOND) });
  await submit(visitor, change.path, change.action, { current_password: FIRST, ...twice('short') });
  await submit(visitor, change.path, change.action, { current_password: FIRST, ...twice(SECOND) });
  const made = await visitor.submit(await visitor.get('/settings/api_keys'), '/settings/api_keys', {
    name: 'x',
  });
  const key = made.root.querySelector('code.secret')?.text ?? '';
  await served.ask('/api/v1/accounts', { headers: { 'X-Api-Key': key } });
  await submit(visitor, '/settings/api_keys', '/settings/api_keys', { name: 'x' });
  await submit(visit(served), '/password_reset', '/password_reset', { email: ada.email });
  await expect.poll(() => deliveries, { timeout: 10_000 }).toHaveLength(1);
  const decoded = (deliveries[0]?.data ?? '').replaceAll('=\n', '').replaceAll('=3D', '=');
  const reset = /token=([\w-]{43})/.exec(decoded)?.[1] ?? '';
  const stranger = visit(served);
  const form = await stranger.get(`/password_reset/confirm?token=${reset}`);
  await seen(stranger.submit(form, '/password_reset/confirm', twice(THIRD)));
  await seen(stranger.get(`/password_reset/confirm?token=${reset}`));
  const guest = visit(served);
  const welcome = await guest.get(`/invitation?token=${invitation.token}`);
  await seen(guest.submit(welcome, '/invitation', twice(GRACES)));
  await seen(guest.get(`/invitation?token=${invitation.token}`));

  const secrets = [
    ...PASSWORDS,
    key,
    reset,
    invitation.token,
    ...visitor.cookies.values(),
    ...guest.cookies.values(),
  ];
  const everywhere = JSON.stringify([lines, await auditLog(harness), pages.map(({ text }) => text)]);
  const rows = JSON.stringify(await harness.query('select * from users, api_keys, sessions'));
  expect([key, reset].map((secret) => secret.length)).toEqual([47, 43]);
  expect(lines.length).toBeGreaterThan(20);
  expect((await auditLog(harness)).map(({ event_type }) => event_type)).toEqual(
    expect.arrayContaining(['password_changed', 'api_key_created', 'password_reset_requested', 'login']),
  );
  for (const secret of secrets) {
    expect(everywhere).not.toContain(secret);
    expect(rows).not.toContain(secret);
  }
  expect(made.text).toContain(key);
  expect(deliveries.map(({ to }) => to)).toEqual([[ada.email]]);
});
