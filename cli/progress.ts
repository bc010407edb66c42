import type { Host } from '#cli/host.ts';
import { oneLine } from '#src/kernel/safe-text.ts';

export interface Progress {
  show(text: string): void;
  clear(): void;
}

const INTERVAL = 100;

/** One line on stderr, drawn over itself, for somebody who watches. Spaces erase it: no escape sequence is needed. */
export function startProgress({ io, flags }: Host): Progress {
  const { stderr, quiet } = io;
  if (!stderr.isTTY || quiet || flags.json) return { show: () => undefined, clear: () => undefined };

  let drawn = 0;
  let last = 0;
  const draw = (text: string) => {
    stderr.write(`\r${text.padEnd(drawn)}`);
    drawn = text.length;
  };
  return {
    show: (text) => {
      const now = performance.now();
      if (now - last < INTERVAL) return;
      last = now;
      draw(oneLine(text).slice(0, (stderr.columns ?? 80) - 1));
    },
    clear: () => {
      if (drawn === 0) return;
      draw('');
      stderr.write('\r');
      drawn = 0;
    },
  };
}
