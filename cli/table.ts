import Table from 'cli-table3';
import type { Io } from '#cli/io.ts';
import type { Column } from '#cli/render.ts';

/** What rows that were printed before have settled: later ones keep in line with them. Written to. */
export interface Layout {
  /** What each column needed. */
  widths: number[];
  /** The columns there was room for; undefined before the first row. */
  shown?: number[];
}

interface TableText {
  heading: readonly string[];
  body: readonly string[][];
  /** In the order of importance, but for those that are shown whole. */
  columns: readonly Pick<Column<never>, 'align' | 'whole' | 'kept'>[];
  layout: Layout;
}

const GAP = 2;
/** A column is left out rather than cut to less than this; the first one says what the row is about. */
const LEGIBLE = 14;
const LEGIBLE_FIRST = 20;
const NARROWEST = 8;
/** What stands where there is nothing to say. */
const NOTHING = '-';
const NO_BORDER = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid']
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`, `${side}-${side}`])
    .concat('left-mid', 'right-mid', 'mid-mid', 'middle')
    .map((name) => [name, '']),
);

/**
 * Columns without borders. Where they do not all fit, some are cut, then the last ones left out, except those that are
 * shown whole or kept; then those that are shown whole, where there are kept ones; where not even that is enough, each
 * row becomes a paragraph with a line for each column.
 */
export function alignedTable(io: Io, { heading, body, columns, layout }: TableText): string {
  const rows = [...(heading.length > 0 ? [[...heading]] : []), ...body];
  const { widths } = layout;
  for (const index of columns.keys()) {
    const needed = rows.map((row) => width(row[index] ?? '') + GAP);
    widths[index] = Math.max(widths[index] ?? 0, ...needed);
  }
  const available = terminalWidth(io);
  layout.shown ??= chooseColumns(widths, { columns, body }, available);
  const { shown } = layout;
  if (shown.length === 0) return paragraphs(heading, body);

  const pick = <Item>(items: readonly Item[]) => shown.flatMap((index) => items[index] ?? []);
  const table = new Table({
    chars: NO_BORDER,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP, compact: true },
    colWidths: fitWidths(pick(widths), pick(columns), available),
    colAligns: pick(columns).map(({ align }) => align ?? 'left'),
  });
  table.push(...rows.map(pick));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** The columns that fit; none when not even the first fits beside those that are shown whole. */
function chooseColumns(
  widths: number[],
  table: Pick<TableText, 'columns' | 'body'>,
  available: number,
): number[] {
  const all = [...table.columns.keys()];
  const isWhole = (index: number) => table.columns[index]?.whole === true;
  const isKept = (index: number) => table.columns[index]?.kept === true;
  const choose = (from: number[], stays: (index: number) => boolean) =>
    leaveOut(widths, table, { from, stays, available });
  if (!all.some(isKept)) return choose(all, isWhole);

  const withBoth = choose(all, (index) => isWhole(index) || isKept(index));
  if (withBoth.length > 0) return withBoth;
  const withKept = choose(
    all.filter((index) => index === 0 || !isWhole(index)),
    isKept,
  );
  return withKept.length > 0 ? withKept : choose(all, isWhole);
}

interface Choice {
  from: readonly number[];
  stays: (index: number) => boolean;
  /** Columns of the terminal. */
  available: number;
}

/** As many as fit, without the last ones, and before those without the ones that say nothing; none when that is not enough. */
function leaveOut(
  widths: number[],
  { columns, body }: Pick<TableText, 'columns' | 'body'>,
  { from, stays, available }: Choice,
): number[] {
  const isEmpty = (index: number) => body.every((row) => row[index] === NOTHING);
  const least = (index: number) => {
    const wanted = widths[index] ?? 0;
    return columns[index]?.whole ? wanted : Math.min(wanted, (index === 0 ? LEGIBLE_FIRST : LEGIBLE) + GAP);
  };
  const chosen = [...from];
  const isTooWide = () => chosen.reduce((sum, index) => sum + least(index), -GAP) > available;
  while (isTooWide()) {
    const dispensable = chosen.filter((index) => index > 0 && !stays(index));
    const last = dispensable.findLast(isEmpty) ?? dispensable.at(-1);
    if (last === undefined) return [];
    chosen.splice(chosen.indexOf(last), 1);
  }
  return chosen;
}

function paragraphs(heading: readonly string[], body: readonly string[][]): string {
  const names = Math.max(0, ...heading.map((name) => name.length));
  const texts = body.map((row) =>
    row
      .map((cell, index) => `${(heading[index] ?? '').padEnd(names)}${names > 0 ? '  ' : ''}${cell}`)
      .join('\n'),
  );
  return texts.join('\n\n');
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
