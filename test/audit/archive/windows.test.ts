import { expect, test } from 'vitest';
import { daysAgo, givenEvents, storedIds, useArchive } from '#test/audit/archive/support.ts';
import { useRuntime } from '#test/support/database.ts';

const harness = useRuntime();
const archives = useArchive(harness);

test('a window has no more events than asked for, but those of one moment go together', async () => {
  const moments = [0, 1, 2, 2, 2, 2, 3, 4].map((microseconds) => daysAgo(100, { microseconds }));
  await givenEvents(harness, [...moments, daysAgo(80)]);
  const windows: unknown[] = [];
  await archives.archive('standard', {
    batchSize: 2,
    watch: ({ name, rows }) => void (name === 'events_removed' && windows.push(rows)),
  });

  expect(windows).toEqual([2, 4, 2]);
  expect(await storedIds(harness)).toHaveLength(1);
});
