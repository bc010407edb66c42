import { describe, expect, test } from 'vitest';
import { confirmTransfer } from '#src/ledger/confirm-transfer.ts';
import { listTransfers } from '#src/ledger/list-transfers.ts';
import { matchTransfers } from '#src/ledger/match-transfers.ts';
import { pairTransfer } from '#src/ledger/pair-transfer.ts';
import { rejectTransfer } from '#src/ledger/reject-transfer.ts';
import { unrejectTransfer } from '#src/ledger/unreject-transfer.ts';
import { updateFamily } from '#src/ledger/update-family.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenAccount, givenHousehold, givenStatement, type Line } from '#test/support/given.ts';

const harness = useRuntime();

/** Two accounts of one family with these lines; answers with what the tests ask about them. */
async function givenTwoAccounts(
  { checking, savings }: { checking: readonly Line[]; savings: readonly Line[] },
  types: { savingsType?: string; savingsCurrency?: string } = {},
) {
  const { familyId } = await givenHousehold(harness);
  const from = await givenAccount(harness, { familyId, name: 'Checking' });
  const to = await givenAccount(harness, {
    familyId,
    name: 'Savings',
    accountType: types.savingsType ?? 'depository',
    currency: types.savingsCurrency,
  });
  await givenStatement(harness, from, checking);
  await givenStatement(harness, to, savings);
  return {
    familyId,
    match: (windowDays?: number) => harness.perform((work) => matchTransfers(work, { familyId, windowDays })),
    confirm: (id: string) => harness.perform((work) => confirmTransfer(work, { familyId, id })),
    reject: (id: string) => harness.perform((work) => rejectTransfer(work, { familyId, id })),
    unreject: (id: string) => harness.perform((work) => unrejectTransfer(work, { familyId, id })),
    pair: (...transactionIds: [string, string]) =>
      harness.perform((work) => pairTransfer(work, { familyId, transactionIds })),
    list: (status?: 'pending' | 'confirmed' | 'rejected') =>
      harness.perform((work) => listTransfers(work, { familyId, status })),
    transactionNamed: async (name: string) => {
      const [row] = await harness.query<{ id: string; kind: string }>(
        `select t.id, t.kind from transactions t join entries e on e.id = t.entry_id and e.family_id = t.family_id
         where e.name = $1 and e.family_id = $2`,
        [name, familyId],
      );
      if (!row) throw new Error(`no transaction is named ${name}`);
      return row;
    },
  };
}

const TO_SAVINGS: Line = ['2026-01-02', '-100.00', 'to savings'];
const FROM_CHECKING: Line = ['2026-01-04', '100.00', 'from checking'];

async function givenPending() {
  const ledger = await givenTwoAccounts({ checking: [TO_SAVINGS], savings: [FROM_CHECKING] });
  const { pending } = await ledger.match();
  const [transfer] = pending;
  if (!transfer) throw new Error('nothing was proposed');
  return { ...ledger, transfer };
}

describe('matching', () => {
  test('proposes an opposite pair, and leaves kinds alone until it is confirmed', async () => {
    const { transfer, transactionNamed } = await givenPending();

    expect(transfer).toMatchObject({
      status: 'pending',
      outflow: { amountCents: 10_000, name: 'to savings', account: { name: 'Checking' } },
      inflow: { amountCents: -10_000, name: 'from checking', account: { name: 'Savings' } },
    });
    expect((await transactionNamed('to savings')).kind).toBe('standard');
  });

  test('run again, proposes nothing new and keeps what waits', async () => {
    const { match, transfer } = await givenPending();

    expect(await match()).toMatchObject({ proposed: 0, superseded: 0, pending: [{ id: transfer.id }] });
  });

  test.each([
    ['the fourth day after', '2026-01-06', 1],
    ['the fifth day after', '2026-01-07', 0],
    ['the fourth day before', '2025-12-29', 1],
    ['the fifth day before', '2025-12-28', 0],
  ])('looks as far as %s', async (_, date, proposed) => {
    const { match } = await givenTwoAccounts({
      checking: [TO_SAVINGS],
      savings: [[date, '100.00', 'from checking']],
    });

    expect((await match()).proposed).toBe(proposed);
  });

  test.each([
    ['another amount', { savings: [['2026-01-02', '100.01', 'x']] as Line[] }, {}],
    ['another currency', { savings: [['2026-01-02', '100.00', 'x']] as Line[] }, { savingsCurrency: 'EUR' }],
    ['the same direction', { savings: [['2026-01-02', '-100.00', 'x']] as Line[] }, {}],
  ])('proposes nothing for %s', async (_, { savings }, types) => {
    const { match } = await givenTwoAccounts({ checking: [TO_SAVINGS], savings }, types);

    expect((await match()).proposed).toBe(0);
  });

  test('proposes nothing within one account', async () => {
    const { match } = await givenTwoAccounts({
      checking: [TO_SAVINGS, ['2026-01-02', '100.00', 'refund']],
      savings: [],
    });

    expect((await match()).proposed).toBe(0);
  });

  test('lets a nearer pair that comes later take the place of a proposal', async () => {
    const { familyId, match } = await givenTwoAccounts({
      checking: [TO_SAVINGS],
      savings: [['2026-01-05', '100.00', 'three days later']],
    });
    await match();
    const third = await givenAccount(harness, { familyId, name: 'Third' });
    await givenStatement(harness, third, [['2026-01-02', '100.00', 'same day']]);

    expect(await match()).toMatchObject({
      proposed: 1,
      superseded: 1,
      pending: [{ inflow: { name: 'same day' } }],
    });
  });

  describe('with a wider window', () => {
    const LATE: Line = ['2026-01-09', '100.00', 'late'];

    test('finds what is further apart, and a run without it keeps that', async () => {
      const { match } = await givenTwoAccounts({ checking: [TO_SAVINGS], savings: [LATE] });

      expect(await match(6)).toMatchObject({ proposed: 0, pending: [] });
      expect(await match(7)).toMatchObject({ proposed: 1, superseded: 0 });
      expect(await match()).toMatchObject({ proposed: 0, superseded: 0, pending: [{ status: 'pending' }] });
    });

    test('leaves it when a nearer pair turns up', async () => {
      const ledger = await givenTwoAccounts({ checking: [TO_SAVINGS], savings: [LATE] });
      await ledger.match(7);
      const { id } = await givenAccount(harness, { familyId: ledger.familyId });
      await givenStatement(harness, { familyId: ledger.familyId, id }, [FROM_CHECKING]);

      expect(await ledger.match()).toMatchObject({
        proposed: 1,
        superseded: 1,
        pending: [{ inflow: { name: 'from checking' } }],
      });
    });

    test.each([0, 31, 1.5])('of %d days is refused', async (days) => {
      const { match } = await givenTwoAccounts({ checking: [], savings: [] });

      await expect(match(days)).rejects.toMatchObject({ code: 'validation_failed' });
    });
  });

  test('leaves a family alone that has it turned off', async () => {
    const { familyId, match } = await givenTwoAccounts({ checking: [TO_SAVINGS], savings: [FROM_CHECKING] });
    await harness.perform((work) => updateFamily(work, { family: familyId, transferMatching: false }));

    expect(await match()).toMatchObject({ enabled: false, proposed: 0, pending: [] });
  });

  test.each([
    ['draft', 1],
    ['active', 1],
    ['disabled', 0],
    ['pending_deletion', 0],
  ])('with an account that is %s proposes %i', async (status, proposed) => {
    const { familyId, match } = await givenTwoAccounts({ checking: [TO_SAVINGS], savings: [FROM_CHECKING] });
    await harness.query('update accounts set status = $1 where family_id = $2 and name = $3', [
      status,
      familyId,
      'Savings',
    ]);

    expect((await match()).proposed).toBe(proposed);
  });
});

describe('confirming', () => {
  test.each([
    ['depository', 'funds_movement'],
    ['investment', 'investment_contribution'],
    ['crypto', 'investment_contribution'],
    ['credit_card', 'cc_payment'],
    ['other_liability', 'cc_payment'],
    ['loan', 'loan_payment'],
    ['property', 'funds_movement'],
  ])('a transfer to a %s account makes the outflow a %s', async (savingsType, kind) => {
    const ledger = await givenTwoAccounts(
      { checking: [TO_SAVINGS], savings: [FROM_CHECKING] },
      { savingsType },
    );
    const { pending } = await ledger.match();

    await ledger.confirm(pending[0]?.id ?? '');

    expect((await ledger.transactionNamed('to savings')).kind).toBe(kind);
    expect((await ledger.transactionNamed('from checking')).kind).toBe('funds_movement');
  });

  test('takes the transactions out of matching', async () => {
    const { confirm, transfer, match } = await givenPending();
    await confirm(transfer.id);

    expect(await match()).toMatchObject({ proposed: 0, superseded: 0, pending: [] });
  });

  test('takes each of the two out of matching, also with others', async () => {
    const { familyId, confirm, match, transfer } = await givenPending();
    await confirm(transfer.id);
    // Each on the day of the confirmed side it could be taken for the other side of.
    const lines: Line[] = [
      [FROM_CHECKING[0], '-100.00', 'Third'],
      [TO_SAVINGS[0], '100.00', 'Fourth'],
    ];
    for (const line of lines) {
      const account = await givenAccount(harness, { familyId, name: line[2] });
      await givenStatement(harness, account, [line]);
    }

    expect(await match()).toMatchObject({
      proposed: 1,
      pending: [{ outflow: { name: 'Third' }, inflow: { name: 'Fourth' } }],
    });
  });

  test('twice is refused', async () => {
    const { confirm, transfer } = await givenPending();
    await confirm(transfer.id);

    await expect(confirm(transfer.id)).rejects.toMatchObject({ code: 'conflict' });
  });

  test.each(['not-an-id', '0198c000-0000-7000-8000-000000000000'])('%s is not found', async (id) => {
    const { confirm } = await givenPending();

    await expect(confirm(id)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('rejecting', () => {
  test('remembers the pair: matching does not bring it back', async () => {
    const { reject, transfer, match, list } = await givenPending();
    await reject(transfer.id);

    expect(await match()).toMatchObject({ proposed: 0, pending: [] });
    expect(await list('rejected')).toMatchObject([{ id: transfer.id, outflow: { name: 'to savings' } }]);
  });

  test('leaves other pairs of the same transactions possible', async () => {
    const ledger = await givenTwoAccounts({
      checking: [TO_SAVINGS],
      savings: [FROM_CHECKING, ['2026-01-05', '100.00', 'another']],
    });
    const { pending } = await ledger.match();
    await ledger.reject(pending[0]?.id ?? '');

    expect(await ledger.match()).toMatchObject({ proposed: 1, pending: [{ inflow: { name: 'another' } }] });
  });

  test('a confirmed transfer gives both transactions the kinds they had', async () => {
    const { familyId, confirm, reject, transfer, transactionNamed } = await givenPending();
    await harness.query(`update transactions set kind = 'one_time' where family_id = $1 and id = $2`, [
      familyId,
      transfer.outflow.transactionId,
    ]);
    await confirm(transfer.id);
    await reject(transfer.id);

    expect((await transactionNamed('to savings')).kind).toBe('one_time');
    expect((await transactionNamed('from checking')).kind).toBe('standard');
  });

  test('twice keeps one rejection', async () => {
    const { reject, transfer, list } = await givenPending();
    const first = await reject(transfer.id);

    expect((await reject(transfer.id)).id).toBe(first.id);
    expect(await list('rejected')).toHaveLength(1);
  });

  test('taken back, lets the pair be proposed again', async () => {
    const { reject, unreject, transfer, match, list } = await givenPending();
    await reject(transfer.id);
    await unreject(transfer.id);

    expect(await list('rejected')).toEqual([]);
    expect((await match()).proposed).toBe(1);
    await expect(unreject(transfer.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('keeps the family total true, whichever way pairs come and go', async () => {
    const { familyId, reject, unreject, transfer } = await givenPending();
    const total = async () => {
      const [row] = await harness.query<{ rejected_transfers_count: number }>(
        'select rejected_transfers_count from families where id = $1',
        [familyId],
      );
      return row?.rejected_transfers_count;
    };

    await reject(transfer.id);
    expect(await total()).toBe(1);
    await unreject(transfer.id);
    expect(await total()).toBe(0);

    const { pending } = await harness.perform((work) => matchTransfers(work, { familyId }));
    await reject(pending[0]?.id ?? '');
    await harness.query('delete from entries where family_id = $1', [familyId]);
    expect(await total()).toBe(0);
  });
});

/** The outflow first. */
const idsOf = async ({
  transactionNamed,
}: Awaited<ReturnType<typeof givenTwoAccounts>>): Promise<[string, string]> => [
  (await transactionNamed('to savings')).id,
  (await transactionNamed('from checking')).id,
];

describe('pairing by hand', () => {
  test('confirms at once, in either order, and replaces a proposal', async () => {
    const ledger = await givenPending();
    const [outflow, inflow] = await idsOf(ledger);

    expect(await ledger.pair(inflow, outflow)).toMatchObject({ id: ledger.transfer.id, status: 'confirmed' });
    expect(await ledger.list()).toHaveLength(1);
  });

  test('takes away the proposals for either transaction', async () => {
    const ledger = await givenTwoAccounts({
      checking: [TO_SAVINGS],
      savings: [FROM_CHECKING, ['2026-01-05', '100.00', 'another']],
    });
    await ledger.match();
    const { id: outflow } = await ledger.transactionNamed('to savings');
    const { id: another } = await ledger.transactionNamed('another');

    await ledger.pair(outflow, another);

    expect(await ledger.list()).toMatchObject([{ status: 'confirmed', inflow: { name: 'another' } }]);
  });

  test('reaches thirty days and no further', async () => {
    const near = await givenTwoAccounts({
      checking: [TO_SAVINGS],
      savings: [['2026-02-01', '100.00', 'from checking']],
    });
    expect(await near.pair(...(await idsOf(near)))).toMatchObject({ status: 'confirmed' });

    const far = await givenTwoAccounts({
      checking: [TO_SAVINGS],
      savings: [['2026-02-02', '100.00', 'from checking']],
    });
    await expect(far.pair(...(await idsOf(far)))).rejects.toThrow('31 days apart');
  });

  test('takes back an earlier rejection of the pair', async () => {
    const ledger = await givenPending();
    await ledger.reject(ledger.transfer.id);
    await ledger.pair(...(await idsOf(ledger)));

    expect(await ledger.list('rejected')).toEqual([]);
    expect(await ledger.list('confirmed')).toHaveLength(1);
  });

  test('joins two currencies, whatever the amounts', async () => {
    const ledger = await givenTwoAccounts(
      { checking: [TO_SAVINGS], savings: [['2026-01-02', '92.10', 'from checking']] },
      { savingsCurrency: 'EUR' },
    );

    expect(await ledger.pair(...(await idsOf(ledger)))).toMatchObject({ status: 'confirmed' });
  });

  test('refuses what is no pair, with every reason', async () => {
    const ledger = await givenTwoAccounts({
      checking: [TO_SAVINGS],
      savings: [['2026-03-02', '99.00', 'from checking']],
    });

    await expect(ledger.pair(...(await idsOf(ledger)))).rejects.toMatchObject({
      code: 'validation_failed',
      errors: ['the amounts are not exactly opposite', 'the dates are 59 days apart, more than 30'],
    });
  });

  test('refuses a transaction that is in a confirmed transfer already', async () => {
    const ledger = await givenTwoAccounts({
      checking: [TO_SAVINGS],
      savings: [FROM_CHECKING, ['2026-01-05', '100.00', 'another']],
    });
    await ledger.pair(...(await idsOf(ledger)));
    const { id: another } = await ledger.transactionNamed('another');

    await expect(ledger.pair((await idsOf(ledger))[0], another)).rejects.toMatchObject({ code: 'conflict' });
    expect(await ledger.list()).toHaveLength(1);
  });
});
