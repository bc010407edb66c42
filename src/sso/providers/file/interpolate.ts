/** Text with its references to the environment replaced. */
export interface Interpolated {
  text: string;
  /** Variables whose values are in the text. */
  used: string[];
  /** Variables that have no value and need none: an empty default, or `ENV["X"]`, which is nothing then. */
  unset: string[];
  /** References that must have a value and have none, as they are written. */
  missing: string[];
  problem: string | undefined;
}

const REFERENCE =
  /\$\$\{|<%%|\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}|<%=\s*ENV(?:\[(["'])(\w+)\3\]|\.fetch\(\s*(["'])(\w+)\5\s*(?:,\s*(?:(["'])((?:(?!\7).)*)\7|(nil))\s*)?\))\s*%>|\$\{|<%/g;

// biome-ignore lint/suspicious/noTemplateCurlyInString: this is what people write
const MALFORMED = '${…} must be ${NAME} or ${NAME:-default}';
const TEMPLATE = 'of Ruby templates only <%= ENV["X"] %> and <%= ENV.fetch("X", "default") %> are read';

/**
 * `${X}`, `${X:-default}`, and the two forms of Ruby templates that Sure's files hold: `<%= ENV["X"] %>` and
 * `<%= ENV.fetch("X", "default") %>`. Nothing is evaluated. `$${` and `<%%` stand for themselves.
 */
export function interpolate(source: string, find: (name: string) => string | undefined): Interpolated {
  const result: Interpolated = { text: '', used: [], unset: [], missing: [], problem: undefined };
  result.text = source.replaceAll(REFERENCE, (reference: string, ...groups: (string | undefined)[]) => {
    if (reference === '$${') return '${';
    if (reference === '<%%') return '<%';
    const [shell, fallback, , element, , fetched, , fetchedFallback, nil] = groups;
    const name = shell ?? element ?? fetched;
    if (name === undefined) {
      result.problem = reference === '${' ? MALFORMED : TEMPLATE;
      return '';
    }
    const value = find(name);
    if (value !== undefined) {
      result.used.push(name);
      return value;
    }
    const otherwise = fallback ?? fetchedFallback;
    if (otherwise) return otherwise;
    const optional = otherwise === '' || element !== undefined || nil !== undefined;
    if (optional) result.unset.push(name);
    else result.missing.push(reference);
    return '';
  });
  return result;
}

/** The text as `interpolate` reads it back unchanged. */
export function escapeReferences(text: string): string {
  // As functions: in a replacement text two dollar signs would mean one.
  return text.replaceAll('${', () => '$${').replaceAll('<%', () => '<%%');
}
