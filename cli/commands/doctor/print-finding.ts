import { type Io, print } from '#cli/io.ts';
import { wrapped } from '#cli/wrap.ts';
import type { Status } from '#src/doctor/check.ts';
import type { NamedFinding } from '#src/doctor/examine.ts';
import { oneLine } from '#src/kernel/safe-text.ts';

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red', skipped: 'dim' } as const;

const STATUS_WIDTH = Math.max(...Object.keys(COLOURS).map((status) => status.length));

/** One line for each thing, and one below it with what to do. */
export function printFinding(io: Io, { name, status, detail, hint }: NamedFinding, width: number): void {
  const { results } = io;
  const columns = results.isTTY ? (results.columns ?? 80) : undefined;
  const margin = STATUS_WIDTH + 2 + width + 2;
  const head = `${paint(io, status)}  ${oneLine(name.replaceAll('_', ' ')).padEnd(width)}  `;
  const lines = [detail, ...(hint === undefined ? [] : [`hint: ${hint}`])].map((text) =>
    wrapped(oneLine(text), columns, margin),
  );
  print(io, head + lines.join(`\n${' '.repeat(margin)}`));
}

/** The word says it all; the colour is for the hurried. */
function paint(io: Io, status: Status): string {
  const word = status.padEnd(STATUS_WIDTH);
  return io.paint(io.results, COLOURS[status], word);
}
