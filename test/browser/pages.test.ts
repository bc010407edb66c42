import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createApiKey } from '#src/auth/create-api-key.ts';
import type { Config } from '#src/kernel/config.ts';
import { createPasswordReset } from '#src/users/create-password-reset.ts';
import { inviteUser } from '#src/users/invite-user.ts';
import { suspendUser } from '#src/users/suspend-user.ts';
import { useChromium } from '#test/browser/support/chromium.ts';
import { faultsOf } from '#test/browser/support/faults.ts';
import { enterAs, signInAs } from '#test/browser/support/people.ts';
import { serveSite } from '#test/browser/support/serve.ts';
import { givenPerson, type Person } from '#test/http/people.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
const chromium = useChromium();

interface Cast {
  /** A super admin. */
  root: Person;
  /** A member with a key, who forgot her password. */
  ada: Person & { keyId: string; reset: string };
  /** Suspended. */
  bob: Person;
  /** Of an invitation. */
  invitation: string;
}

async function givenCast(): Promise<Cast> {
  const root = await givenPerson(harness, { role: 'super_admin', email: 'root@example.com' });
  const ada = await givenPerson(harness, { email: 'ada@example.com' });
  const bob = await givenPerson(harness, { email: 'bob@example.com' });
  return harness.perform(async (work) => {
    await suspendUser(work, { user: bob.id, reason: 'lost laptop' });
    const { apiKey } = await createApiKey(work, {
      userId: ada.id,
      name: 'Budget sheet',
      scope: 'read_write',
    });
    const { token: reset } = await createPasswordReset(work, { user: ada.id });
    const guest = { email: 'grace@example.com', familyId: root.familyId, role: 'member' };
    const { token: invitation } = await inviteUser(work, guest);
    return { root, ada: { ...ada, keyId: apiKey.id, reset }, bob, invitation };
  });
}

interface Sight {
  name: string;
  /** Who is signed in. */
  as?: 'root' | 'ada';
  settings?: Partial<Config>;
  /** To tell that it is the page meant. */
  heading: string | RegExp;
  path?: string | ((cast: Cast) => string);
  /** What is done there before it is looked at. */
  doing?: (page: Page, cast: Cast) => Promise<unknown>;
}

const click = (name: string) => async (page: Page) => {
  const answered = page.waitForEvent('load');
  await page.getByRole('button', { name, exact: true }).click();
  await answered;
};

const NO_PASSWORDS = { localLogin: false, adminOverride: false };
const OVERRIDE = { localLogin: false, adminOverride: true };
const MAIL = { smtpUrl: 'smtp://localhost:1', from: 'finance@example.com' };

const SIGNED_OUT: Sight[] = [
  { name: 'signing in', heading: 'Sign in', path: '/sessions/new?notice=sign_in_first' },
  { name: 'the override', settings: { auth: OVERRIDE }, heading: 'Sign in', path: '/sessions/new' },
  { name: 'no passwords', settings: { auth: NO_PASSWORDS }, heading: 'Sign in', path: '/sessions/new' },
  { name: 'a wrong password', heading: 'Sign in', doing: (page, { ada }) => signInAs(page, ada, 'wrong') },
  { name: 'forgetting without mail', heading: 'Forgotten password', path: '/password_reset' },
  { name: 'forgetting', settings: { mail: MAIL }, heading: 'Forgotten password', path: '/password_reset' },
  { name: 'mail to look for', heading: 'Check your mail', path: '/password_reset/sent' },
  {
    name: 'a reset link',
    heading: 'Choose a new password',
    path: ({ ada }) => `/password_reset/confirm?token=${ada.reset}`,
  },
  {
    name: 'a new password that is refused',
    heading: 'Choose a new password',
    path: ({ ada }) => `/password_reset/confirm?token=${ada.reset}`,
    doing: async (page) => {
      await page.getByLabel('New password', { exact: true }).fill('short');
      await page.getByLabel('New password once more').fill('short');
      await click('Save the new password')(page);
    },
  },
  { name: 'a dead reset link', heading: /does not work/, path: '/password_reset/confirm?token=x' },
  {
    name: 'an invitation',
    heading: 'You are invited',
    path: ({ invitation }) => `/invitation?token=${invitation}`,
  },
  { name: 'a dead invitation', heading: /does not work/, path: '/invitation?token=x' },
  { name: 'nothing', heading: 'Not Found', path: '/nothing/here' },
];

const MEMBER: Sight[] = [
  { name: 'security', heading: 'Security', path: '/settings/security' },
  {
    name: 'security after a mistake',
    heading: 'Security',
    path: '/settings/security',
    doing: async (page) => {
      for (const field of ['Current password', 'New password once more'])
        await page.getByLabel(field).fill('something');
      await page.getByLabel('New password', { exact: true }).fill('something else');
      await click('Change password')(page);
    },
  },
  { name: 'API keys', heading: 'API keys', path: '/settings/api_keys' },
  {
    name: 'a new API key',
    heading: 'Your new API key',
    path: '/settings/api_keys',
    doing: async (page) => {
      await page.getByLabel('Name').fill('Another sheet');
      await click('Create key')(page);
    },
  },
  {
    name: 'an API key that is refused',
    heading: 'API keys',
    path: '/settings/api_keys',
    doing: async (page) => {
      await page.getByLabel('Name').fill('Budget sheet');
      await page.getByLabel('Expires on').fill('2001-01-01');
      await click('Create key')(page);
    },
  },
  { name: 'revoking', heading: /^Revoke/, path: ({ ada }) => `/settings/api_keys/${ada.keyId}/revoke` },
  { name: 'no entry', heading: 'Forbidden', path: '/admin/users' },
];

const ADMIN: Sight[] = [
  { name: 'users', heading: 'Users', path: '/admin/users' },
  { name: 'no users', heading: 'Users', path: '/admin/users?search=nobody' },
  { name: 'a user', heading: 'ada@example.com', path: ({ ada }) => `/admin/users/${ada.id}` },
  { name: 'a suspended user', heading: 'bob@example.com', path: ({ bob }) => `/admin/users/${bob.id}` },
  { name: 'oneself', heading: 'root@example.com', path: ({ root }) => `/admin/users/${root.id}` },
  {
    name: 'suspending the last super admin',
    heading: 'root@example.com',
    path: ({ root }) => `/admin/users/${root.id}`,
    doing: click('Suspend'),
  },
  { name: 'deleting', heading: /^Delete/, path: ({ ada }) => `/admin/users/${ada.id}/delete` },
  {
    name: 'deleting with the wrong email',
    heading: /^Delete/,
    path: ({ ada }) => `/admin/users/${ada.id}/delete`,
    doing: async (page) => {
      await page.getByLabel('Type the email').fill('ada');
      await click('Delete for good')(page);
    },
  },
  { name: 'deleting oneself', heading: /^Delete/, path: ({ root }) => `/admin/users/${root.id}/delete` },
  { name: 'invitations', heading: 'Invitations', path: '/admin/users/invitations' },
  {
    name: 'a new invitation',
    heading: 'Invitations',
    path: '/admin/users/invitations',
    doing: async (page) => {
      await page.getByLabel('Email', { exact: true }).fill('linus@example.com');
      await click('Invite')(page);
    },
  },
  { name: 'the audit log', heading: 'Audit log', path: ({ ada }) => `/admin/sso_audit_logs?user=${ada.id}` },
  {
    name: 'an audit filter that is wrong',
    heading: 'Audit log',
    path: '/admin/sso_audit_logs?user=x&from=2026-02-01&to=2026-01-01',
  },
  {
    name: 'too many requests',
    heading: 'Too Many Requests',
    path: '/admin/users',
    doing: async (page) => {
      await harness.query('update rate_limits set count = 1000');
      await page.reload();
    },
  },
];

const SIGHTS: Sight[] = [
  ...SIGNED_OUT,
  ...MEMBER.map((sight) => ({ ...sight, as: 'ada' as const })),
  ...ADMIN.map((sight) => ({ ...sight, as: 'root' as const })),
];

describe('the page of', () => {
  test.each(SIGHTS)('$name has no fault', async ({ as, settings, heading, path, doing }) => {
    await using site = await serveSite(harness, settings);
    const cast = await givenCast();
    const page = await chromium.open(site.url, { scripts: true });
    if (as) await enterAs(page, site, cast[as]);

    if (path !== undefined) await page.goto(typeof path === 'string' ? path : path(cast));
    await doing?.(page, cast);

    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });
});
