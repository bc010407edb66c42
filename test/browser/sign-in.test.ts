import { describe, expect, test } from 'vitest';
import { SCRIPTS, useChromium } from '#test/browser/support/chromium.ts';
import { signInAs } from '#test/browser/support/people.ts';
import { serveSite } from '#test/browser/support/serve.ts';
import { givenPerson, PASSWORD } from '#test/http/people.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
const chromium = useChromium();

describe.each(SCRIPTS)('signing in $name', ({ scripts }) => {
  test('leads to the page first asked for, and signing out away from it', async () => {
    await using site = await serveSite(harness);
    const ada = await givenPerson(harness);
    const page = await chromium.open(site.url, { scripts });

    await page.goto('/settings/api_keys');
    const asked = await page.getByRole('status').textContent();
    await page.getByLabel('Email').fill(ada.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    const who = await page.getByRole('banner').textContent();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('status').filter({ hasText: 'You are signed out.' }).waitFor();
    await page.goBack();

    expect(asked).toBe('Sign in to go on.');
    expect(who).toContain(ada.email);
    expect(new URL(page.url()).pathname).toBe('/sessions/new');
  });

  test('needs no mouse', async () => {
    await using site = await serveSite(harness);
    const ada = await givenPerson(harness);
    const page = await chromium.open(site.url, { scripts });
    await page.goto('/sessions/new');
    const focused = page.locator(':focus-visible');

    const starts = await focused.getAttribute('name');
    await page.keyboard.type(ada.email);
    await page.keyboard.press('Tab');
    const follows = await focused.getAttribute('name');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
    expect([starts, follows]).toEqual(['email', 'password']);
  });

  test('with a wrong password says so where it can be heard, keeps the email, and asks for the rest', async () => {
    await using site = await serveSite(harness);
    const ada = await givenPerson(harness);
    const page = await chromium.open(site.url, { scripts });

    await signInAs(page, ada, 'not the password');

    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain('Email or password is wrong');
    expect(await page.title()).toMatch(/^Error: /);
    expect(await page.getByLabel('Email').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Email').inputValue()).toBe(ada.email);
    expect(await page.getByLabel('Password').inputValue()).toBe('');
    expect(await page.locator(':focus').getAttribute('name')).toBe('password');
    await alert.getByRole('link').click();
    expect(await page.locator(':focus').getAttribute('name')).toBe('email');
  });

  test('is refused for a while after too many mistakes, and the page says how long', async () => {
    await using site = await serveSite(harness);
    const ada = await givenPerson(harness);
    const page = await chromium.open(site.url, { scripts });
    await signInAs(page, ada, 'not the password');
    await harness.query('update rate_limits set count = 1000');

    await signInAs(page, ada);

    const alert = page.getByRole('alert').filter({ hasText: 'Too many' });
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/Come back in \d+ (seconds|minutes)/);
  });
});

const EVERYBODY = {
  warning: false,
  form: true,
  forgotten: true,
  member: 'in',
  root: 'in',
};
const SUPER_ADMINS = { ...EVERYBODY, warning: true, forgotten: false, member: 'out' };
const NOBODY = { warning: false, form: false, forgotten: false, member: 'out', root: 'out' };

describe('the sign-in page', () => {
  test.each([
    { localLogin: true, adminOverride: true, shown: EVERYBODY },
    { localLogin: true, adminOverride: false, shown: EVERYBODY },
    { localLogin: false, adminOverride: true, shown: SUPER_ADMINS },
    { localLogin: false, adminOverride: false, shown: NOBODY },
  ])('with local login $localLogin and the override $adminOverride', async ({ shown, ...auth }) => {
    await using site = await serveSite(harness, { auth });
    const member = await givenPerson(harness);
    const root = await givenPerson(harness, { role: 'super_admin' });
    const page = await chromium.open(site.url, { scripts: false });
    const tryAs = async (person: { email: string }) => {
      if (!(await page.getByLabel('Password').count())) return 'out';
      await signInAs(page, person);
      return (await page.getByRole('heading', { level: 1, name: 'Security' }).count()) ? 'in' : 'out';
    };

    await page.goto('/sessions/new');

    const seen = {
      warning: await page.getByText('Only super admins can sign in with a password here').isVisible(),
      form: await page.getByLabel('Password').isVisible(),
      forgotten: await page.getByRole('link', { name: 'Forgot your password?' }).isVisible(),
      root: await tryAs(root),
      member: '',
    };
    await page.context().clearCookies();
    await page.goto('/sessions/new');
    seen.member = await tryAs(member);
    expect(seen).toEqual(shown);
  });
});
