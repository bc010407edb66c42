import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Everything once; then what only the dark can break, and what only a narrow page can. */
const LOOKS: { colorScheme: 'light' | 'dark'; width: number; runOnly: NonNullable<RunOptions['runOnly']> }[] =
  [
    {
      colorScheme: 'light',
      width: 1200,
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    },
    { colorScheme: 'dark', width: 1200, runOnly: rules('color-contrast', 'link-in-text-block') },
    {
      colorScheme: 'light',
      width: 360,
      runOnly: rules('target-size', 'scrollable-region-focusable', 'color-contrast'),
    },
  ];

/** The longest HTML of a page, in bytes. */
const LARGEST = 15_000;

/** What is wrong with how a page is made: by light and in the dark, on a desk and on a phone, without a mouse. */
export async function faultsOf(page: Page): Promise<string[]> {
  const faults: string[] = [];
  const bytes = Buffer.byteLength(await page.content());
  if (bytes > LARGEST) faults.push(`${bytes} bytes of HTML`);

  await page.evaluate(AXE);
  for (const { colorScheme, width, runOnly } of LOOKS) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (wide > width) faults.push(`${wide} px wide in ${width} px`);
    const found = await findViolations(page, runOnly);
    faults.push(...found.map((violation) => `${violation} (${colorScheme}, ${width} px)`));
  }
  return [...faults, ...(await keyboardFaults(page))];
}

function rules(...values: string[]): { type: 'rule'; values: string[] } {
  return { type: 'rule', values };
}

async function findViolations(page: Page, runOnly: NonNullable<RunOptions['runOnly']>): Promise<string[]> {
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html}`));
}

interface Stop {
  /** The place in the list of everything that takes a keyboard. */
  index: number;
  html: string;
  outlined: boolean;
}

/** So many are pressed before a look at where they led. */
const TABS = 10;

/** Goes through the page with Tab, as long as there is something new. */
async function keyboardFaults(page: Page): Promise<string[]> {
  await page.evaluate('document.body.tabIndex = -1; document.body.focus()');
  const wanted = await page.evaluate<string[]>(`${TAKERS}.map((element) => element.outerHTML)`);
  await page.evaluate(NOTE_STOPS);
  const reached = new Map<number, Stop>();
  // A date has a stop for each of its parts.
  for (let pressed = 0; reached.size < wanted.length && pressed < wanted.length * 4; pressed += TABS) {
    for (let tab = 0; tab < TABS; tab += 1) await page.keyboard.press('Tab');
    for (const stop of await page.evaluate<Stop[]>('stops.splice(0)')) {
      if (stop.index >= 0 && !reached.has(stop.index)) reached.set(stop.index, stop);
    }
  }
  return [
    ...[...reached.values()]
      .filter(({ outlined }) => !outlined)
      .map(({ html }) => `no visible focus: ${html}`),
    ...wanted.filter((_, index) => !reached.has(index)).map((html) => `not reached by keyboard: ${html}`),
  ];
}

const TAKERS = `[...document.querySelectorAll('a[href], button, summary, input, select, textarea, [tabindex="0"]')]
  .filter((element) => element.checkVisibility() && !element.disabled)`;

const NOTE_STOPS = `globalThis.stops = [];
document.addEventListener('focusin', ({ target }) => {
  const { outlineStyle, outlineWidth } = getComputedStyle(target);
  const outlined = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
  stops.push({ index: ${TAKERS}.indexOf(target), html: target.outerHTML.slice(0, 200), outlined });
})`;
