import { describe, expect, test } from 'vitest';
import { useChromium } from '#test/browser/support/chromium.ts';
import { runCurl } from '#test/browser/support/curl.ts';
import { signInAs } from '#test/browser/support/people.ts';
import { serveSite } from '#test/browser/support/serve.ts';
import { givenPerson } from '#test/http/people.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
const chromium = useChromium();

describe('a key without scripts', () => {
  test('is created, works from the line the page shows, is never shown again, and dies when revoked', async () => {
    await using site = await serveSite(harness);
    const page = await chromium.open(site.url, { scripts: false });
    await signInAs(page, await givenPerson(harness));
    await page.getByRole('link', { name: 'API keys' }).click();

    await page.getByLabel('Name').fill('Budget sheet');
    await page.getByLabel('Scope').selectOption('Read only');
    await page.getByLabel('Expires on').fill('2099-12-31');
    await page.getByRole('button', { name: 'Create key' }).click();
    const line = await page.getByText(/^curl /).innerText();
    const [, key = ''] = /X-Api-Key: ([^']+)/.exec(line) ?? [];
    const inForce = await runCurl(line);

    await page.getByRole('link', { name: 'I have copied it' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Budget sheet' });
    const listed = await row.innerText();
    const source = await page.content();
    await row.getByRole('link', { name: 'Revoke' }).click();
    await page.getByRole('heading', { level: 1, name: /^Revoke/ }).waitFor();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('status').filter({ hasText: 'The key is revoked.' }).waitFor();
    const revoked = await runCurl(line);

    expect(inForce.status).toBe(200);
    expect(JSON.parse(inForce.body)).toMatchObject({ rejected_transfers: [] });
    expect(listed).toMatch(/Read only.*2099-12-31/s);
    expect(key).not.toBe('');
    expect(source).not.toContain(key);
    expect(revoked.status).toBe(401);
    expect(await row.innerText()).toContain('Revoked');
  });

  test('that cannot be made is refused beside what was typed', async () => {
    await using site = await serveSite(harness);
    const page = await chromium.open(site.url, { scripts: false });
    await signInAs(page, await givenPerson(harness));
    await page.getByRole('link', { name: 'API keys' }).click();

    await page.getByLabel('Name').fill('Budget sheet');
    await page.getByLabel('Expires on').fill('2001-01-01');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('alert').getByRole('link', { name: 'in the future' }).click();

    expect(await page.locator(':focus').getAttribute('id')).toBe('expires_on');
    expect(await page.getByLabel('Expires on').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Name').inputValue()).toBe('Budget sheet');
  });
});
