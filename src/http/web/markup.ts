import { type Html, html } from '#src/http/html.ts';

/** A day in UTC. */
export function day(at: Date): Html {
  return timeOf(at, 10);
}

/** A moment to the minute, in UTC, which the caption of its table says. */
export function minute(at: Date | null): Html {
  return at === null ? html`–` : timeOf(at, 16);
}

/** A moment to the second. */
export function second(at: Date): Html {
  return timeOf(at, 19);
}

function timeOf(at: Date, length: number): Html {
  const iso = at.toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, length).replace('T', ' ')}</time>`;
}

interface Table {
  /** Of the caption, where a page has several tables. */
  id?: string;
  caption: string | Html;
  headings: readonly string[];
  rows: readonly Html[];
}

/** A table that scrolls by itself where the screen is narrow, with the keyboard too. */
export function table({ id = 'caption', caption, headings, rows }: Table): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-labelledby="${id}">
<table>
<caption id="${id}"><span>${caption}</span></caption>
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>
${rows}
</tbody>
</table>
</div>`;
}

export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
