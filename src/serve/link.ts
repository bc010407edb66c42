import type { Figure } from '#src/http/metrics/figures.ts';

/** What the leading process says to a worker. */
export type Order =
  /** Finish, after this many milliseconds in which load balancers look away. */
  | { order: 'stop'; wait: number }
  | { order: 'tell_figures'; id: number }
  /** The metrics that a worker has asked for; undefined: they could not be written. */
  | { order: 'take_metrics'; id: number; text: string | undefined };

/** What a worker says to the leading process. */
export type Report =
  | { report: 'ready' }
  | { report: 'figures'; id: number; figures: Figure[] }
  | { report: 'wants_metrics'; id: number }
  /** Its last word, with all it has counted. */
  | { report: 'done'; figures: Figure[] };

export const isOrder = (message: unknown): message is Order => has(message, 'order');

export const isReport = (message: unknown): message is Report => has(message, 'report');

function has(message: unknown, key: string): boolean {
  return typeof message === 'object' && message !== null && key in message;
}
