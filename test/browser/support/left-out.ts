import { findChromium } from '#test/browser/support/find-chromium.ts';

/** The test files to leave out where no browser is; BROWSER_TESTS=required makes that an error. */
export function leftOut(): string[] {
  if (findChromium()) return [];
  const lack = 'no Chromium on this machine: install one, or name it in CHROMIUM';
  if (process.env.BROWSER_TESTS === 'required') throw new Error(`BROWSER_TESTS=required, but ${lack}`);
  process.stderr.write(`The browser tests are left out: ${lack}\n`);
  return ['test/browser/**'];
}
