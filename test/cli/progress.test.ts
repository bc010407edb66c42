import { describe, expect, test } from 'vitest';
import { openHost } from '#cli/host.ts';
import { startProgress } from '#cli/progress.ts';
import type { Flags } from '#cli/surface.ts';
import { bufferedOutside } from '#test/support/cli.ts';

interface Watched {
  terminal?: boolean;
  columns?: number;
  total?: number;
  seconds?: number;
}

/** A job of so many seconds that reports ten times a second. */
function watch(flags: Partial<Flags>, { terminal = false, columns = 80, total, seconds = 35 }: Watched = {}) {
  const { outside, stderr } = bufferedOutside({ terminal: { stderr: terminal, columns } });
  const host = openHost(outside, () => ({ color: true, input: true, ...flags }));
  let time = 0;
  const progress = startProgress(host, () => time);
  for (; time <= seconds * 1_000; time += 100)
    progress.step({ label: 'a.csv', done: 10 * time, total, unit: 'rows' });
  progress.clear();
  return stderr.text();
}

describe('progress', () => {
  test('with --verbose is a line every ten seconds where there is no terminal', () => {
    expect(watch({ verbose: true }, { total: 400_000 }).split('\n')).toEqual([
      'a.csv: 25% 100,000 of 400,000 rows, 10,000/s',
      'a.csv: 50% 200,000 of 400,000 rows, 10,000/s',
      'a.csv: 75% 300,000 of 400,000 rows, 10,000/s',
      '',
    ]);
    expect(watch({ verbose: true }, { seconds: 12 })).toBe('a.csv: 100,000 rows, 10,000/s\n');
  });

  test.each([
    [{}, {}],
    [{ verbose: true as const, quiet: true as const }, {}],
    [{ verbose: true as const, json: true as const }, {}],
    [{ quiet: true as const }, { terminal: true }],
    [{ json: true as const }, { terminal: true }],
  ])('is nothing with %j on %j', (flags, options) => {
    expect(watch(flags, options)).toBe('');
  });

  test('is a bar on a terminal, drawn over itself and then taken away', () => {
    const drawings = watch({}, { terminal: true, total: 400_000, seconds: 40 }).split('\r');

    expect(drawings).toContain(
      '[##########--------------------] a.csv: 35% 140,000 of 400,000 rows, 10,000/s',
    );
    expect(drawings.at(-3)).toContain('100%');
    expect(drawings.at(-2)).toMatch(/^ +$/);
    expect(drawings.at(-1)).toBe('');
    expect(drawings.join('')).not.toContain('\u001b');
  });

  test.each([20, 40, 60])('never fills a line of %i columns', (columns) => {
    const drawings = watch({}, { terminal: true, total: 400_000, columns }).split('\r');

    expect(Math.max(...drawings.map((text) => text.length))).toBeLessThan(columns);
  });

  test('goes on past a total that was too low', () => {
    expect(watch({ verbose: true }, { total: 50_000, seconds: 11 })).toContain('100% 100,000 of 50,000');
    expect(watch({ verbose: true }, { total: 0, seconds: 11 })).toContain('100% 100,000 of 0');
  });
});
