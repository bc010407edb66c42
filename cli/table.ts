import Table from 'cli-table3';
import type { Io } from '#cli/io.ts';
import type { Column } from '#cli/render.ts';

interface TableText {
  heading: readonly string[];
  body: readonly string[][];
  columns: readonly Pick<Column<never>, 'align' | 'whole'>[];
  /** What the columns of the rows before needed; later rows keep in line with them. Written to. */
  widths: number[];
}

const GAP = 2;
const NARROWEST = 8;
const NO_BORDER = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid']
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`, `${side}-${side}`])
    .concat('left-mid', 'right-mid', 'mid-mid', 'middle')
    .map((name) => [name, '']),
);

/** Columns without borders, cut to the width of the terminal where they may be. */
export function alignedTable(io: Io, { heading, body, columns, widths }: TableText): string {
  const rows = heading.length > 0 ? [[...heading], ...body] : body;
  for (const index of columns.keys()) {
    const needed = rows.map((row) => width(row[index] ?? '') + GAP);
    widths[index] = Math.max(widths[index] ?? 0, ...needed);
  }
  const table = new Table({
    chars: NO_BORDER,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP, compact: true },
    colWidths: fitWidths(widths, columns, terminalWidth(io)),
    colAligns: columns.map(({ align }) => align ?? 'left'),
  });
  table.push(...rows);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Takes from the widest column that may be cut, until the rest fits. */
function fitWidths(widths: number[], columns: TableText['columns'], available: number): number[] {
  const fitted = [...widths];
  const total = () => fitted.reduce((sum, each) => sum + each, 0) - GAP;
  while (total() > available) {
    const elastic = fitted.map((each, index) => (columns[index]?.whole ? 0 : each));
    const widest = Math.max(...elastic);
    if (widest <= NARROWEST + GAP) break;
    fitted[elastic.indexOf(widest)] = widest - 1;
  }
  return fitted;
}

function terminalWidth({ env, results }: Io): number {
  const wanted = Number(env.COLUMNS);
  return wanted > 0 ? wanted : (results.columns ?? 80);
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u;
const ZERO = /\p{Mark}|\u200d/u;

/** Terminal columns, near enough for choosing widths. */
function width(text: string): number {
  let columns = 0;
  for (const character of text) columns += ZERO.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return columns;
}
