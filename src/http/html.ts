const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Finished markup. Only `html` makes it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template: text is escaped, markup stays, lists are joined, nothing is nothing. */
type Insertable = string | number | Html | readonly Insertable[] | null | undefined | false;

/** Markup whose inserted values are escaped unless they are markup themselves. */
export function html(parts: TemplateStringsArray, ...values: Insertable[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(insert)));
}

function insert(value: Insertable): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(insert).join('');
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
