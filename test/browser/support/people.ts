import type { Page } from 'playwright-core';
import type { Site } from '#test/browser/support/serve.ts';
import { PASSWORD, signIn } from '#test/http/people.ts';

/** Fills in and sends the form of the sign-in page, and waits for what comes of it. */
export async function signInAs(page: Page, { email }: { email: string }, password = PASSWORD): Promise<void> {
  await page.goto('/sessions/new');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  const answered = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await answered;
}

/** Signs in without the page for it. */
export async function enterAs(page: Page, site: Site, person: { email: string }): Promise<void> {
  const { cookies } = await signIn(site, person);
  await page
    .context()
    .addCookies(
      [...cookies].map(([name, value]) => ({ name, value, url: site.url, sameSite: 'Lax' as const })),
    );
}
