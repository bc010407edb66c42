import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { useRuntime } from '#test/support/database.ts';
import { givenAccount, givenHousehold, givenStatement, type Line } from '#test/support/given.ts';

const harness = useRuntime();

/** One family with an outflow, an equal inflow in another account, and a second inflow of another amount. */
async function givenLedger() {
  const { familyId } = await givenHousehold(harness);
  const outflow = await givenTransaction(familyId, ['2026-01-02', '-100.00', 'out']);
  const inflow = await givenTransaction(familyId, ['2026-01-02', '100.00', 'in']);
  const other = await givenTransaction(familyId, ['2026-01-02', '50.00', 'other']);
  return { familyId, outflow, inflow, other };
}

async function givenTransaction(familyId: string, line: Line): Promise<string> {
  const account = await givenAccount(harness, { familyId });
  await givenStatement(harness, account, [line]);
  const [row] = await harness.query<{ id: string }>(
    `select t.id from transactions t join entries e on e.family_id = t.family_id and e.id = t.entry_id
     where e.account_id = $1`,
    [account.id],
  );
  if (!row) throw new Error('the statement brought nothing');
  return row.id;
}

function insertTransfer(familyId: string, inflow: string, outflow: string, status = 'pending') {
  const before = status === 'confirmed' ? `'standard'` : 'null';
  return harness.query(
    `insert into transfers (family_id, id, inflow_transaction_id, outflow_transaction_id, status, inflow_kind_before,
       outflow_kind_before, created_at, updated_at)
     values ($1, $2, $3, $4, $5, ${before}, ${before}, now(), now())`,
    [familyId, randomUUID(), inflow, outflow, status],
  );
}

function insertRejected(familyId: string, inflow: string, outflow: string) {
  return harness.query(
    `insert into rejected_transfers (family_id, id, inflow_transaction_id, outflow_transaction_id, created_at, updated_at)
     values ($1, $2, $3, $4, now(), now())`,
    [familyId, randomUUID(), inflow, outflow],
  );
}

describe('the database itself refuses', () => {
  test('a side of another family', async () => {
    const { familyId, outflow } = await givenLedger();
    const stranger = await givenLedger();

    await expect(insertTransfer(familyId, stranger.inflow, outflow)).rejects.toMatchObject({ code: '23503' });
    await expect(insertRejected(familyId, stranger.inflow, outflow)).rejects.toMatchObject({ code: '23503' });
  });

  test('sides the wrong way round, of one account, or of different amounts', async () => {
    const { familyId, inflow, outflow, other } = await givenLedger();

    await expect(insertTransfer(familyId, outflow, inflow)).rejects.toMatchObject({
      constraint: 'pair_signs',
    });
    await expect(insertTransfer(familyId, outflow, outflow)).rejects.toMatchObject({
      constraint: 'pair_accounts',
    });
    await expect(insertTransfer(familyId, other, outflow)).rejects.toMatchObject({
      constraint: 'pair_amounts',
    });
  });

  test('the same pair twice, as a transfer or as a rejection', async () => {
    const { familyId, inflow, outflow } = await givenLedger();
    await insertRejected(familyId, inflow, outflow);

    await expect(insertRejected(familyId, inflow, outflow)).rejects.toMatchObject({ code: '23505' });
    await expect(insertTransfer(familyId, inflow, outflow)).rejects.toMatchObject({
      constraint: 'pair_exclusive',
    });
  });

  test('a rejection of a pair that is a transfer', async () => {
    const { familyId, inflow, outflow } = await givenLedger();
    await insertTransfer(familyId, inflow, outflow);

    await expect(insertRejected(familyId, inflow, outflow)).rejects.toMatchObject({
      constraint: 'pair_exclusive',
    });
  });

  test('a second confirmed transfer of one transaction', async () => {
    const { familyId, inflow, outflow } = await givenLedger();
    const second = await givenTransaction(familyId, ['2026-01-03', '100.00', 'in again']);
    await insertTransfer(familyId, inflow, outflow, 'confirmed');

    await expect(insertTransfer(familyId, second, outflow, 'confirmed')).rejects.toMatchObject({
      constraint: 'transfers_confirmed_outflow',
    });
  });

  test('an edit that would break a pair, and follows one that does not', async () => {
    const { familyId, inflow, outflow } = await givenLedger();
    await insertRejected(familyId, inflow, outflow);
    const editInflow = (change: string) =>
      harness.query(
        `update entries set ${change} where id = (select entry_id from transactions where id = $1)`,
        [inflow],
      );

    await expect(editInflow('amount_cents = -1')).rejects.toMatchObject({ constraint: 'pair_amounts' });
    await editInflow(`date = '2026-05-05'`);
    expect(await harness.query('select inflow_date from rejected_transfers')).toEqual([
      { inflow_date: '2026-05-05' },
    ]);
  });

  test.each([
    ['accounts', 'status', 'closed'],
    ['accounts', 'account_type', 'piggy_bank'],
    ['accounts', 'currency', 'usd'],
    ['transactions', 'kind', 'gift'],
    ['users', 'role', 'root'],
    ['users', 'email', 'Ada@Example.com'],
    ['api_keys', 'scope', 'write'],
    ['entries', 'amount_cents', '9007199254740992'],
    ['entries', 'source', 'Bad Source'],
  ])('%s.%s = %s', async (table, column, value) => {
    await givenLedger();

    await expect(harness.query(`update ${table} set ${column} = $1`, [value])).rejects.toMatchObject({
      code: '23514',
    });
  });
});

test('two decisions about one pair at the same moment leave one of them standing', async () => {
  const { familyId, inflow, outflow } = await givenLedger();

  const outcomes = await Promise.allSettled([
    insertTransfer(familyId, inflow, outflow),
    insertRejected(familyId, inflow, outflow),
  ]);

  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});
