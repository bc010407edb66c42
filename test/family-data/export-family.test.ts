import { expect, test } from 'vitest';
import { exportFamily } from '#src/family-data/export-family.ts';
import { exported, imported, ndjson } from '#test/family-data/family-files.ts';
import { account, TWO_ACCOUNTS, transaction } from '#test/family-data/records.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenHousehold } from '#test/support/given.ts';

const harness = useRuntime();

test('a family is written out as it is at one moment, whatever happens meanwhile', async () => {
  const { familyId } = await givenHousehold(harness);
  await imported(harness, { familyId }, ndjson(TWO_ACCOUNTS));
  const before = await exported(harness, familyId);
  let document = '';
  for await (const chunk of exportFamily(harness.runtime, familyId).chunks) {
    if (document === '') await imported(harness, { familyId }, ndjson([account(3), transaction(14)]));
    document += chunk;
  }

  expect(document).toBe(before);
  expect(await exported(harness, familyId)).not.toBe(before);
});

test('nothing is kept open for somebody who stops reading', async () => {
  const { familyId } = await givenHousehold(harness);
  const family = exportFamily(harness.runtime, familyId);
  for await (const chunk of family.chunks) {
    expect(chunk).toContain('"type":"Family"');
    break;
  }

  expect(family).toMatchObject({ isComplete: false, counts: { Family: 1 } });
  const { totalCount, idleCount } = harness.runtime.pool;
  expect(idleCount).toBe(totalCount);
  expect(
    await harness.query(`select 1 from pg_stat_activity where datname = current_database()
    and state = 'idle in transaction'`),
  ).toEqual([]);
});
