import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { useChromium } from '#test/browser/support/chromium.ts';
import { enterAs, signInAs } from '#test/browser/support/people.ts';
import { serveSite } from '#test/browser/support/serve.ts';
import { givenPerson } from '#test/http/people.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
const chromium = useChromium();

/** A browser can only look at so many admin pages in a minute. */
const waitForQuota = () => harness.query('delete from rate_limits');

describe('a super admin without scripts', () => {
  test('suspends a signed-in user, who is signed out at the next click, and lets them in again', async () => {
    await using site = await serveSite(harness);
    const root = await givenPerson(harness, { role: 'super_admin' });
    const ada = await givenPerson(harness);
    const admin = await chromium.open(site.url, { scripts: false });
    const user = await chromium.open(site.url, { scripts: false });
    await signInAs(user, ada);
    await user.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
    await signInAs(admin, root);

    await admin.getByRole('link', { name: 'Users' }).click();
    await admin.getByLabel('Email or name').fill(ada.email);
    await admin.getByRole('button', { name: 'Show' }).click();
    await admin.getByRole('link', { name: ada.email }).click();
    await admin.getByLabel('Reason').last().fill('lost laptop');
    await admin.getByRole('button', { name: 'Suspend' }).click();
    await admin.getByRole('status').filter({ hasText: 'The user is suspended' }).waitFor();
    await user.getByRole('link', { name: 'API keys' }).click();
    await user.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await signInAs(user, ada);
    const refusal = await user.getByRole('alert').innerText();
    await admin.getByRole('button', { name: 'Reactivate' }).click();
    await admin.getByRole('status').filter({ hasText: 'active again' }).waitFor();
    await signInAs(user, ada);

    await user.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
    expect(refusal).toContain('Email or password is wrong');
  });

  test('deletes a user only after typing the email', async () => {
    await using site = await serveSite(harness);
    const root = await givenPerson(harness, { role: 'super_admin' });
    const ada = await givenPerson(harness);
    const page = await chromium.open(site.url, { scripts: false });
    await enterAs(page, site, root);

    await page.goto(`/admin/users/${ada.id}`);
    await page.getByRole('link', { name: 'Delete this user' }).click();
    const warning = await page.getByRole('main').innerText();
    await page.getByLabel('Type the email').fill('ada@elsewhere.example');
    await page.getByRole('button', { name: 'Delete for good' }).click();
    const refusal = page.getByRole('alert');
    await refusal.getByRole('link').click();
    const focused = await page.locator(':focus').getAttribute('id');
    const before = await harness.query('select id from users where id = $1', [ada.id]);
    await page.getByLabel('Type the email').fill(ada.email);
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByRole('status').filter({ hasText: 'The user is deleted.' }).waitFor();

    expect(warning).toContain('its whole ledger');
    expect(focused).toBe('confirmation');
    expect(before).toHaveLength(1);
    expect(await page.getByRole('link', { name: ada.email }).count()).toBe(0);
    expect(await harness.query('select id from users where id = $1', [ada.id])).toEqual([]);
  });

  test('changes a role, which the user sees at the next click', async () => {
    await using site = await serveSite(harness);
    const root = await givenPerson(harness, { role: 'super_admin' });
    const ada = await givenPerson(harness);
    const admin = await chromium.open(site.url, { scripts: false });
    const user = await chromium.open(site.url, { scripts: false });
    await enterAs(admin, site, root);
    await enterAs(user, site, ada);
    await user.goto('/settings/security');
    const before = await user.getByRole('link', { name: 'Audit log' }).count();

    await admin.goto(`/admin/users/${ada.id}`);
    await admin.getByLabel('Role').selectOption('Super admin');
    await admin.getByRole('button', { name: 'Save the role' }).click();
    await admin.getByRole('status').filter({ hasText: 'The role is saved.' }).waitFor();
    await user.getByRole('link', { name: 'API keys' }).click();
    await user.getByRole('link', { name: 'Audit log' }).click();

    await user.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    expect(before).toBe(0);
  });

  test('invites somebody, who joins with the link', async () => {
    await using site = await serveSite(harness);
    const root = await givenPerson(harness, { role: 'super_admin' });
    const admin = await chromium.open(site.url, { scripts: false });
    const guest = await chromium.open(site.url, { scripts: false });
    await enterAs(admin, site, root);

    await admin.goto('/admin/users');
    await admin.getByRole('link', { name: 'Invite somebody' }).click();
    await admin.getByLabel('Email', { exact: true }).fill('grace@example.com');
    await admin.getByRole('button', { name: 'Invite' }).click();
    const link = await admin.getByRole('status').locator('code').innerText();
    await guest.goto(link);
    await guest.getByLabel('First name').fill('Grace');
    await guest.getByLabel('New password', { exact: true }).fill('one more private sentence');
    await guest.getByLabel('New password once more').fill('one more private sentence');
    await guest.getByRole('button', { name: 'Join' }).click();

    await guest.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
    expect(await guest.getByRole('main').innerText()).toContain('grace@example.com');
  });

  test('filters the audit log, and saves as CSV what the filter shows', async () => {
    await using site = await serveSite(harness);
    const root = await givenPerson(harness, { role: 'super_admin' });
    const ada = await givenPerson(harness);
    const page = await chromium.open(site.url, { scripts: false });
    await signInAs(page, ada, 'not the password');
    await page.getByRole('alert').waitFor();
    await enterAs(page, site, root);

    await page.goto('/admin/sso_audit_logs');
    await page.getByLabel('Event').selectOption('Failed sign-in');
    await page.getByLabel('About').fill(ada.email);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('link', { name: 'Show all' }).waitFor();
    const rows = await page.getByRole('row').allInnerTexts();
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'as CSV' }).click();
    const file = await saved;
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');

    expect(rows.slice(1)).toEqual([expect.stringMatching(/the password was wrong/)]);
    expect(rows[1]).toContain(ada.email);
    expect(file.suggestedFilename()).toMatch(/^audit-log-\d{4}-\d\d-\d\d\.csv$/);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^created_at,event_type,user_id,/);
    expect(lines[1]).toMatch(/,login_failed,/);
  });

  test('who clicks too fast reads when to come back', async () => {
    await using site = await serveSite(harness);
    const root = await givenPerson(harness, { role: 'super_admin' });
    const page = await chromium.open(site.url, { scripts: false });
    await enterAs(page, site, root);

    const statuses: (number | undefined)[] = [];
    for (let click = 1; click <= 11; click += 1) statuses.push((await page.goto('/admin/users'))?.status());
    const text = await page.locator('body').innerText();
    await waitForQuota();
    const later = await page.goto('/admin/users');

    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
    expect(text).toMatch(/Come back in \d+ seconds/);
    expect(later?.status()).toBe(200);
  });
});
