import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createApiKey } from '#src/auth/create-api-key.ts';
import { loadDemo } from '#src/demo/load-demo.ts';
import { updateFamily } from '#src/ledger/update-family.ts';
import { createUser } from '#src/users/create-user.ts';
import { exported, imported } from '#test/family-data/family-files.ts';
import { anyFamily, givenRows, rowsOf } from '#test/family-data/given-family-rows.ts';
import { type Served, serve } from '#test/http/serve.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenHousehold } from '#test/support/given.ts';

const harness = useRuntime();

/** What the API shows of a family: its pairs, and every transaction that one of its documents names. */
async function shown(served: Served, key: string, document: string): Promise<unknown[]> {
  const headers = { 'X-Api-Key': key };
  const ids = [...document.matchAll(/"type":"Transaction","data":\{"id":"([^"]+)"/g)].map(([, id]) => id);
  const answers = await Promise.all([
    served.ask('/api/v1/rejected_transfers?per_page=100', { headers }),
    ...ids.slice(0, 5).map((id) => served.ask(`/api/v1/transactions/${id}`, { headers })),
  ]);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  return answers.map(({ body }) => body);
}

async function givenKey(familyId: string): Promise<string> {
  return harness.perform(async (work) => {
    const { id: userId } = await createUser(work, { familyId, email: 'reader@example.com' });
    return (await createApiKey(work, { userId, name: 'test', scope: 'read' })).key;
  });
}

describe('a family that is written out and read in again', () => {
  test('is the same document, and the same to programs', async () => {
    await using served = await serve(harness.runtime);
    const demo = await harness.perform((work) => loadDemo(work, { baseUrl: 'http://localhost:3000' }));
    await harness.perform((work) => updateFamily(work, { family: demo.family_id, transferMatching: false }));
    const document = await exported(harness, demo.family_id);
    const report = await imported(harness, { newFamily: 'Restored' }, document);

    expect(report).toMatchObject({
      rejectedCount: 0,
      conflictCount: 0,
      messages: [],
      notices: [],
      skipped: {},
    });
    expect(await exported(harness, report.family.id)).toBe(document);
    expect(await rowsOf(harness, report.family.id)).toEqual(await rowsOf(harness, demo.family_id));
    const before = await shown(served, demo.api_key, document);
    expect(before[0]).toMatchObject({ pagination: { total_count: 3 } });
    expect(await shown(served, await givenKey(report.family.id), document)).toEqual(before);
  });

  test('whatever it holds', async () => {
    await using served = await serve(harness.runtime);
    await fc.assert(
      fc.asyncProperty(anyFamily, async (rows) => {
        const from = await givenHousehold(harness);
        await givenRows(harness, from.familyId, rows);
        const document = await exported(harness, from.familyId);
        const to = await givenHousehold(harness, { name: 'Empty', currency: 'CHF' });
        const report = await imported(harness, to, document);

        expect(report).toMatchObject({ rejectedCount: 0, conflictCount: 0, messages: [], notices: [] });
        expect(await exported(harness, to.familyId)).toBe(document);
        expect(await rowsOf(harness, to.familyId)).toEqual(await rowsOf(harness, from.familyId));
        expect(await shown(served, to.key, document)).toEqual(await shown(served, from.key, document));
        // Once more: everything is there already.
        const { records } = await imported(harness, to, document);
        expect(
          Object.values(records).map(({ added, conflicts, rejected }) => added + conflicts + rejected),
        ).toEqual(Object.values(records).map(() => 0));
      }),
      { numRuns: 10 },
    );
  });
});
