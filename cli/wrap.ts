/** The text on lines of at most `width` characters, where its words allow it; as it is without a width. */
export function wrapped(text: string, width?: number, indent = 0): string {
  if (width === undefined) return text;
  const room = Math.max(width - indent, 20);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}

const INDENT = 2;
const GAP = 2;

/** `  name  meaning` lines, meanings below each other; below their names where the terminal is too narrow for that. */
export function alignedLines(lines: readonly (readonly [string, string])[], width?: number): string {
  const names = Math.max(...lines.map(([name]) => name.length));
  const column = INDENT + names + GAP;
  const stacked = width !== undefined && column > width / 2;
  const margin = ' '.repeat(INDENT);
  return lines
    .map(([name, meaning]) => {
      if (!stacked) return `${margin}${name.padEnd(names + GAP)}${wrapped(meaning, width, column)}`;
      const below = 3 * INDENT;
      return `${margin}${name}\n${' '.repeat(below)}${wrapped(meaning, width, below)}`;
    })
    .join('\n');
}
