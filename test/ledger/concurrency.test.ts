import { expect, test } from 'vitest';
import { loadConfig } from '#config/env.ts';
import { importStatement } from '#src/imports/import-statement.ts';
import { undoImport } from '#src/imports/undo-import.ts';
import { AppError } from '#src/kernel/errors.ts';
import { createLog } from '#src/kernel/log.ts';
import { perform } from '#src/kernel/perform.ts';
import type { Work } from '#src/kernel/work.ts';
import { confirmTransfer } from '#src/ledger/confirm-transfer.ts';
import { listTransfers } from '#src/ledger/list-transfers.ts';
import { matchTransfers } from '#src/ledger/match-transfers.ts';
import { rejectTransfer } from '#src/ledger/reject-transfer.ts';
import { unrejectTransfer } from '#src/ledger/unreject-transfer.ts';
import { createRuntime } from '#src/runtime.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenAccount, givenHousehold, type Line, statementFile } from '#test/support/given.ts';

const harness = useRuntime();
const ROUNDS = 5;

/** The same amounts again and again, so that every transaction has several it could belong to. */
function lines(sign: '' | '-', from: number, count: number): Line[] {
  return Array.from({ length: count }, (_, index): Line => {
    const row = from + index;
    return [`2026-01-${10 + (row % 20)}`, `${sign}${1 + (row % 3)}.00`, `row ${row}`];
  });
}

async function givenLedger() {
  const { familyId } = await givenHousehold(harness);
  const accounts = await Promise.all(
    ['Checking', 'Savings', 'Cash'].map((name) => givenAccount(harness, { familyId, name })),
  );
  return { familyId, accounts: accounts.map(({ id }) => id) };
}

/** Another process on the same database, as far as the database can tell. */
async function anotherProcess() {
  const config = loadConfig({ DATABASE_URL: harness.databaseUrl });
  const runtime = await createRuntime(config, { log: createLog('silent', 2), statementTimeout: 8_000 });
  return {
    perform: <Result>(task: (work: Work) => Promise<Result>) =>
      perform(runtime, { actor: { kind: 'system' } }, task),
    [Symbol.asyncDispose]: () => runtime.close(),
  };
}

/** Everything that must hold at the end, whoever did what in which order. */
async function violations(): Promise<unknown[]> {
  return harness.query(`
    select 'counter' as broken, f.id from families f
      where rejected_transfers_count <> (select count(*) from rejected_transfers r where r.family_id = f.id)
    union all
    select 'two confirmed', t.id from transactions t
      where (select count(*) from transfers x where x.family_id = t.family_id and x.status = 'confirmed'
        and t.id in (x.inflow_transaction_id, x.outflow_transaction_id)) > 1
    union all
    select 'kind', t.id from transactions t
      where (t.kind = 'standard') = exists (select 1 from transfers x where x.family_id = t.family_id
        and x.status = 'confirmed' and t.id in (x.inflow_transaction_id, x.outflow_transaction_id))
    union all
    select 'both', x.id from transfers x
      join rejected_transfers r using (family_id, inflow_transaction_id, outflow_transaction_id)
    union all
    select 'twice', e.id from entries e join entries o
      on o.family_id = e.family_id and o.account_id = e.account_id and o.name = e.name and o.id <> e.id
    union all
    select 'half', e.id from entries e where not exists (
      select 1 from transactions t where t.family_id = e.family_id and t.entry_id = e.id)`);
}

test('confirming and rejecting one transfer at once: both are done in turn or one is refused', async () => {
  const { familyId, accounts } = await givenLedger();
  await using other = await anotherProcess();
  const [from = '', to = ''] = accounts;
  await harness.perform(async (work) => {
    await importStatement(work, { familyId, account: from, file: await statementFile(lines('-', 0, 24)) });
    await importStatement(work, { familyId, account: to, file: await statementFile(lines('', 0, 24)) });
  });
  const { pending } = await harness.perform((work) => matchTransfers(work, { familyId }));

  for (const { id } of pending.slice(0, 10)) {
    const outcomes = await Promise.allSettled([
      harness.perform((work) => confirmTransfer(work, { familyId, id })),
      other.perform((work) => rejectTransfer(work, { familyId, id })),
      other.perform((work) => confirmTransfer(work, { familyId, id })),
      harness.perform((work) => rejectTransfer(work, { familyId, id })),
    ]);
    expect(surprises(outcomes)).toEqual([]);
  }

  expect(pending.length).toBeGreaterThan(9);
  expect(await violations()).toEqual([]);
});

test('everything at once, from two processes: every refusal has a meaning, and the ledger stays whole', async () => {
  const { familyId, accounts } = await givenLedger();
  await using other = await anotherProcess();
  const files = await Promise.all(
    accounts.flatMap((account, index) =>
      [0, 10].map(async (from) => ({
        account,
        file: await statementFile(lines(index % 2 ? '' : '-', from, 30)),
      })),
    ),
  );

  const outcomes: PromiseSettledResult<unknown>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [pending, confirmed, rejected] = await Promise.all(
      (['pending', 'confirmed', 'rejected'] as const).map((status) =>
        harness.perform((work) => listTransfers(work, { familyId, status })),
      ),
    );
    const imports = await harness.query<{ id: string }>(
      `select id from imports where undone_at is null order by created_at limit 2`,
    );
    const tasks: ((work: Work) => Promise<unknown>)[] = [
      ...files.map(
        ({ account, file }) =>
          (work: Work) =>
            importStatement(work, { familyId, account, file }),
      ),
      ...[1, 2, 3].map(() => (work: Work) => matchTransfers(work, { familyId })),
      ...(pending ?? []).slice(0, 6).map(
        ({ id }) =>
          (work: Work) =>
            confirmTransfer(work, { familyId, id }),
      ),
      ...(pending ?? []).slice(3, 9).map(
        ({ id }) =>
          (work: Work) =>
            rejectTransfer(work, { familyId, id }),
      ),
      ...(confirmed ?? []).slice(0, 3).map(
        ({ id }) =>
          (work: Work) =>
            rejectTransfer(work, { familyId, id }),
      ),
      ...(rejected ?? []).slice(0, 2).map(
        ({ id }) =>
          (work: Work) =>
            unrejectTransfer(work, { familyId, id }),
      ),
      ...imports.slice(0, round % 3).map(
        ({ id }) =>
          (work: Work) =>
            undoImport(work, { familyId, id }),
      ),
    ];
    outcomes.push(
      ...(await Promise.allSettled(
        tasks.map((task, index) => (index % 2 ? other.perform(task) : harness.perform(task))),
      )),
    );
  }

  expect(surprises(outcomes)).toEqual([]);
  expect(await violations()).toEqual([]);
});

/** Refusals that nobody could explain to the person who asked. */
function surprises(outcomes: PromiseSettledResult<unknown>[]): unknown[] {
  return outcomes
    .filter((outcome) => outcome.status === 'rejected')
    .map(({ reason }) => reason)
    .filter((reason) => !(reason instanceof AppError && ['not_found', 'conflict'].includes(reason.code)))
    .map((reason) => `${reason.code} ${reason.message}`);
}
