import type { Host } from '#cli/host.ts';
import { warn } from '#cli/io.ts';
import { oneLine } from '#src/kernel/safe-text.ts';

/** How far a job has come. */
interface Step {
  /** What is being worked on. */
  label: string;
  done: number;
  /** Where it ends, if that is known. */
  total?: number | undefined;
  /** What is counted, in the plural. */
  unit?: string | undefined;
}

export interface Progress {
  /** How far it has come, as a bar with a percentage and a rate where the end is known. */
  step(step: Step): void;
  /** Something else to say about it. */
  show(text: string): void;
  /** Takes the line away, before anything else is written. */
  clear(): void;
}

/** Milliseconds between two drawings on a terminal, and between two lines anywhere else. */
const REDRAW = 100;
const LINE = 10_000;

const SILENT: Progress = { step: () => undefined, show: () => undefined, clear: () => undefined };

/** For somebody who watches a terminal, or with --verbose for a log. Goes to stderr, never with --json or --quiet. */
export function startProgress({ io, flags }: Host, now = () => performance.now()): Progress {
  const { stderr, quiet } = io;
  if (quiet || flags.json) return SILENT;
  const began = now();
  const seconds = () => (now() - began) / 1_000;
  if (!stderr.isTTY) {
    if (!flags.verbose) return SILENT;
    const show = atIntervals(LINE, began, now, (text) => warn(io, text()));
    return {
      step: (step) => show(() => describeStep(step, seconds())),
      show: (text) => show(() => text),
      clear: () => undefined,
    };
  }

  let drawn = 0;
  // Spaces erase the line before: no escape sequence is needed.
  const draw = (text: string) => {
    stderr.write(`\r${text.padEnd(drawn)}`);
    drawn = text.length;
  };
  const width = () => (stderr.columns ?? 80) - 1;
  const show = atIntervals(REDRAW, began - REDRAW, now, (text) => draw(oneLine(text()).slice(0, width())));
  return {
    step: (step) => show(() => drawStep(step, seconds(), width())),
    show: (text) => show(() => text),
    clear: () => {
      if (drawn === 0) return;
      draw('');
      stderr.write('\r');
      drawn = 0;
    },
  };
}

/** Passes on at most one text in `interval`; the others are never made. */
function atIntervals(
  interval: number,
  from: number,
  now: () => number,
  pass: (text: () => string) => void,
): (text: () => string) => void {
  let last = from;
  return (text) => {
    if (now() - last < interval) return;
    last = now();
    pass(text);
  };
}

/** `statement.csv: 45% 450,000 of 1,000,000 rows, 12,300/s` */
function describeStep({ label, done, total, unit }: Step, seconds: number): string {
  const of = total === undefined ? '' : ` of ${grouped(total)}`;
  const percent = total === undefined ? '' : `${percentage(done, total)}% `;
  return `${label}: ${percent}${grouped(done)}${of}${unit ? ` ${unit}` : ''}${rate(done, seconds)}`;
}

const SHORTEST_BAR = 10;
const LONGEST_BAR = 30;

/** As describeStep, with a bar where the end is known and the terminal is wide enough. */
function drawStep(step: Step, seconds: number, width: number): string {
  const text = describeStep(step, seconds);
  const { done, total } = step;
  if (total === undefined) return text;
  const room = Math.min(width - text.length - 3, LONGEST_BAR);
  if (room < SHORTEST_BAR) return text;
  const filled = Math.floor((percentage(done, total) / 100) * room);
  return `[${'#'.repeat(filled)}${'-'.repeat(room - filled)}] ${text}`;
}

function percentage(done: number, total: number): number {
  return total <= 0 ? 100 : Math.min(100, Math.floor((100 * done) / total));
}

/** A rate of the first second says nothing. */
function rate(done: number, seconds: number): string {
  return seconds < 1 || done === 0 ? '' : `, ${grouped(Math.round(done / seconds))}/s`;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
