const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Markup whose inserted values are escaped. */
export function html(parts: TemplateStringsArray, ...values: (string | number)[]): string {
  return String.raw({ raw: parts }, ...values.map(escapeHtml));
}

function escapeHtml(value: string | number): string {
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
