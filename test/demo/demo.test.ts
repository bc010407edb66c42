import { describe, expect, test } from 'vitest';
import { apiKeyDigest } from '#src/auth/api-key-value.ts';
import { keyReader } from '#src/auth/readers.ts';
import { clearDemo } from '#src/demo/clear-demo.ts';
import { loadDemo } from '#src/demo/load-demo.ts';
import { findRejectedTransfer } from '#src/ledger/find-rejected-transfer.ts';
import { findTransaction } from '#src/ledger/find-transaction.ts';
import { listTransactions } from '#src/ledger/list-transactions.ts';
import { listTransfers } from '#src/ledger/list-transfers.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenHousehold } from '#test/support/given.ts';

const harness = useRuntime();

const load = () => harness.perform((work) => loadDemo(work, { baseUrl: 'http://localhost:3000' }));

describe('the sample household', () => {
  test('opens with its key, and holds something of everything', async () => {
    const demo = await load();
    const digest = apiKeyDigest(demo.api_key);
    if (!digest) throw new Error('the key has the wrong shape');
    const reader = keyReader(harness.runtime, { digest, needs: 'read' }, () => undefined);

    expect(await findTransaction(reader, demo.transaction_id)).toMatchObject({
      notes: expect.any(String),
      externalId: expect.any(String),
      source: 'csv',
      kind: 'funds_movement',
      category: { name: expect.any(String) },
      merchant: { name: expect.any(String) },
      tags: [{ name: 'fixed' }, { name: 'savings' }],
      transfer: { otherAccount: { name: 'Savings' } },
    });
    expect(await findRejectedTransfer(reader, demo.rejected_transfer_id)).toMatchObject({
      id: demo.rejected_transfer_id,
    });
    const year = await listTransactions(reader, {}, { page: 1, perPage: 1 });
    expect(year.totalCount).toBeGreaterThan(300);
    const { family_id: familyId } = demo;
    const transfers = await harness.perform((work) => listTransfers(work, { familyId }));
    expect(new Set(transfers.map(({ status }) => status))).toEqual(new Set(['pending', 'confirmed']));
    expect(new Set(transfers.map(({ inflow }) => inflow.currency))).toEqual(new Set(['USD', 'EUR']));
    expect(demo.users.map(({ role }) => role)).toEqual(['super_admin', 'admin', 'member']);
  });

  test('brings no super admin into an instance that has people', async () => {
    await givenHousehold(harness);

    expect((await load()).users.map(({ role }) => role)).toEqual(['admin', 'admin', 'member']);
  });

  test('comes once, and goes without a trace of it or a scratch on others', async () => {
    const { familyId } = await givenHousehold(harness);
    await load();
    await expect(load()).rejects.toMatchObject({ code: 'conflict' });

    expect(await harness.perform(clearDemo)).toEqual({ families: 1 });
    const deleted = await harness.query(
      `select metadata->>'role' as role from audit_events where event_type = 'user_deleted' order by 1 offset $1`,
      [0],
    );
    expect(deleted).toEqual([{ role: 'admin' }, { role: 'admin' }, { role: 'member' }]);
    expect(await harness.query('select id from families')).toEqual([{ id: familyId }]);
    expect(await harness.query('select 1 from entries')).toEqual([]);
    expect(await harness.perform(clearDemo)).toEqual({ families: 0 });
  });

  test('does not go while it holds the only super admin of others', async () => {
    await load();
    const { userId } = await givenHousehold(harness);
    const clear = () => harness.perform(clearDemo);

    await expect(clear()).rejects.toMatchObject({ code: 'forbidden' });
    await harness.query(`update users set role = 'super_admin', suspended_at = now() where id = $1`, [
      userId,
    ]);
    await expect(clear()).rejects.toMatchObject({ code: 'forbidden' });
    await harness.query('update users set suspended_at = null where id = $1', [userId]);

    expect(await clear()).toEqual({ families: 1 });
  });
});
