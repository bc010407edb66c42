import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { findChromium } from '#test/browser/support/find-chromium.ts';

/** Where a page could be of two minds; what has no script at all is tried without. */
export const SCRIPTS = [
  { name: 'with scripts', scripts: true },
  { name: 'without scripts', scripts: false },
];

/** Nothing that a browser does by itself. */
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A test clicks through many pages, and machines may be slow. */
const TEST_MS = 90_000;
const STEP_MS = 20_000;

interface Chromium {
  /** A page of a browser that shares nothing with the others: its own cookies, its own cache. */
  open(url: string, opening: { scripts: boolean }): Promise<Page>;
}

/** A browser for this test file. What its console complains of fails the test. */
export function useChromium(): Chromium {
  let browser: Browser | undefined;
  const troubles: string[] = [];
  vi.setConfig({ testTimeout: TEST_MS });

  beforeAll(async () => {
    const executablePath = findChromium();
    if (executablePath === undefined) throw new Error('no Chromium on this machine');
    // In a fresh profile, and without a sandbox, which root could not have: it opens nothing but our own pages.
    browser = await chromium.launch({ executablePath, args: QUIET });
  });
  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close();
    expect(troubles.splice(0)).toEqual([]);
  });
  afterAll(() => browser?.close());

  return {
    open: async (url, { scripts }) => {
      if (!browser) throw new Error('the browser starts in beforeAll');
      const context = await browser.newContext({
        baseURL: url,
        javaScriptEnabled: scripts,
        viewport: { width: 1200, height: 800 },
        // Those of tests are nobody's.
        ignoreHTTPSErrors: true,
      });
      context.setDefaultTimeout(STEP_MS);
      const page = await context.newPage();
      watch(page, troubles);
      return page;
    },
  };
}

/** The answer to a click may be a refusal, which the test looks at; everything else must be without fault. */
function watch(page: Page, troubles: string[]): void {
  page.on('console', (message) => {
    const isAnswer = message.text().startsWith('Failed to load resource: the server responded');
    if (!isAnswer && ['error', 'warning'].includes(message.type())) troubles.push(message.text());
  });
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // A file that is saved is no page, and ends the loading of one.
    if (reason !== 'net::ERR_ABORTED') troubles.push(`${request.method()} ${request.url()}: ${reason}`);
  });
  page.on('response', (response) => {
    const status = response.status();
    if (status >= 500 || (status >= 400 && !response.request().isNavigationRequest()))
      troubles.push(`${response.url()}: ${status}`);
  });
}
