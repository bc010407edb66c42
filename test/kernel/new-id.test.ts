import { expect, test } from 'vitest';
import { newId } from '#src/kernel/new-id.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('ids of one process are in order, many in a millisecond too, and never repeat', () => {
  const ids = Array.from({ length: 50_000 }, newId);

  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => UUID_V7.test(id))).toBe(true);
});

test('an id begins with the time it was made at', () => {
  const before = Date.now();

  const time = Number.parseInt(newId().replace('-', '').slice(0, 12), 16);

  // Those that were made before may have borrowed from the next milliseconds.
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThan(Date.now() + 1_000);
});
