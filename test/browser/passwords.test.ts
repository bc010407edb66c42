import { describe, expect, test } from 'vitest';
import { createPasswordReset } from '#src/users/create-password-reset.ts';
import { passwordResetLink } from '#src/users/links.ts';
import { useChromium } from '#test/browser/support/chromium.ts';
import { signInAs } from '#test/browser/support/people.ts';
import { serveSite } from '#test/browser/support/serve.ts';
import { givenPerson, PASSWORD } from '#test/http/people.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
const chromium = useChromium();

const ANOTHER = 'another very private sentence';

describe('a password without scripts', () => {
  test('is chosen anew with a link that works once', async () => {
    await using site = await serveSite(harness);
    const ada = await givenPerson(harness);
    const { token } = await harness.perform((work) => createPasswordReset(work, { user: ada.email }));
    const page = await chromium.open(site.url, { scripts: false });

    await page.goto(passwordResetLink(site.url, token));
    await page.getByLabel('New password', { exact: true }).fill(ANOTHER);
    await page.getByLabel('New password once more').fill('something else');
    await page.getByRole('button', { name: 'Save' }).click();
    const refusal = await page.getByRole('alert').innerText();
    await page.getByLabel('New password', { exact: true }).fill(ANOTHER);
    await page.getByLabel('New password once more').fill(ANOTHER);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').filter({ hasText: 'Your new password is saved.' }).waitFor();

    await signInAs(page, ada);
    const old = await page.getByRole('alert').innerText();
    await signInAs(page, ada, ANOTHER);
    await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
    await page.goto(passwordResetLink(site.url, token));

    expect(refusal).toContain('not the same');
    expect(old).toContain('Email or password is wrong');
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('does not work any more');
  });

  test('that is forgotten has a way out, also where no mail can be sent', async () => {
    await using site = await serveSite(harness);
    const page = await chromium.open(site.url, { scripts: false });
    await page.goto('/sessions/new');

    await page.getByRole('link', { name: 'Forgot your password?' }).click();

    await page.getByRole('heading', { level: 1, name: 'Forgotten password' }).waitFor();
    expect(await page.getByRole('main').innerText()).toContain('financectl users reset-password');
  });

  test('is changed, which signs out every other browser at its next click', async () => {
    await using site = await serveSite(harness);
    const ada = await givenPerson(harness);
    const here = await chromium.open(site.url, { scripts: false });
    const there = await chromium.open(site.url, { scripts: false });
    await signInAs(here, ada);
    await signInAs(there, ada);
    await there.getByRole('heading', { level: 1, name: 'Security' }).waitFor();

    await here.getByLabel('Current password').fill(PASSWORD);
    await here.getByLabel('New password', { exact: true }).fill(ANOTHER);
    await here.getByLabel('New password once more').fill(ANOTHER);
    await here.getByRole('button', { name: 'Change password' }).click();
    await here.getByRole('status').filter({ hasText: 'Your password is changed.' }).waitFor();
    await there.getByRole('link', { name: 'API keys' }).click();

    await there.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await here.getByRole('link', { name: 'API keys' }).click();
    await here.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    await signInAs(there, ada, ANOTHER);
    await there.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
  });

  test('is not changed by somebody who does not know it', async () => {
    await using site = await serveSite(harness);
    const ada = await givenPerson(harness);
    const page = await chromium.open(site.url, { scripts: false });
    await signInAs(page, ada);

    await page.getByLabel('Current password').fill('not the password');
    await page.getByLabel('New password', { exact: true }).fill(ANOTHER);
    await page.getByLabel('New password once more').fill(ANOTHER);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('alert').getByRole('link').click();

    expect(await page.locator(':focus').getAttribute('id')).toBe('current_password');
    for (const field of await page.locator('form.stack input[type=password]').all())
      expect(await field.inputValue()).toBe('');
  });
});

describe('a session without scripts', () => {
  test('is ended from another browser', async () => {
    await using site = await serveSite(harness);
    const ada = await givenPerson(harness);
    const here = await chromium.open(site.url, { scripts: false });
    const there = await chromium.open(site.url, { scripts: false });
    await signInAs(there, ada);
    await there.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
    await signInAs(here, ada);

    await here.getByRole('button', { name: 'End the session of' }).click();
    await here.getByRole('status').filter({ hasText: 'The session is ended.' }).waitFor();
    await there.reload();

    await there.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(await here.getByText('This session').count()).toBe(1);
  });
});
