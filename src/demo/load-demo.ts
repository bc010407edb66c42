import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createApiKey } from '#src/auth/create-api-key.ts';
import { DEMO_ACCOUNTS } from '#src/demo/demo-accounts.ts';
import { importStatement } from '#src/imports/import-statement.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import { confirmTransfer } from '#src/ledger/confirm-transfer.ts';
import { createAccount } from '#src/ledger/create-account.ts';
import { createFamily } from '#src/ledger/create-family.ts';
import { Family } from '#src/ledger/family.entity.ts';
import { matchTransfers } from '#src/ledger/match-transfers.ts';
import { pairTransfer } from '#src/ledger/pair-transfer.ts';
import { rejectTransfer } from '#src/ledger/reject-transfer.ts';
import type { TransferView } from '#src/ledger/views.ts';
import { createUser } from '#src/users/create-user.ts';
import { User } from '#src/users/user.entity.ts';

/** The keys are those that `demo load --json` prints. */
export interface Demo {
  api_key: string;
  read_write_key: string;
  base_url: string;
  family_id: string;
  /** One side of a confirmed transfer, with category, merchant or tags elsewhere in the year. */
  transaction_id: string;
  rejected_transfer_id: string;
  account_id: string;
  users: { email: string; password: string; role: string }[];
}

/** Texts of inflows in the sample statements that look like the other side of something and are not. */
const NO_TRANSFERS = ['GIFT FROM GRANDMA', 'Fahrrad verkauft'];
/** How many of the proposals stay undecided, for trying. */
const LEFT_PENDING = 5;

/** A sample household from a year of statements, by the same operations that real files go through. */
export async function loadDemo(work: Work, { baseUrl }: { baseUrl: string }): Promise<Demo> {
  if ((await work.em.count(Family, { demo: true })) > 0) {
    throw new AppError('conflict', 'The sample household is loaded already', {
      hint: 'financectl demo clear removes it; its keys and passwords were shown when it was loaded.',
    });
  }
  const { id: familyId } = await createFamily(work, { name: 'Demo household', currency: 'USD', demo: true });
  const users = await createUsers(work, familyId);
  const accountId = await importStatements(work, familyId);
  const { rejected, confirmed } = await decideTransfers(work, familyId);

  const [owner] = users;
  if (!owner) throw new Error('the sample household has an owner');
  const key = async (name: string, scope: string) =>
    (await createApiKey(work, { userId: owner.id, name, scope })).key;
  return {
    api_key: await key('demo', 'read'),
    read_write_key: await key('demo read and write', 'read_write'),
    base_url: baseUrl,
    family_id: familyId,
    transaction_id: confirmed,
    rejected_transfer_id: rejected,
    account_id: accountId,
    users: users.map(({ email, password, role }) => ({ email, password, role })),
  };
}

async function createUsers(work: Work, familyId: string) {
  // The first user of an instance becomes its super admin; beside others the sample must not bring one in.
  const first = (await work.em.count(User, {})) === 0;
  const people = [
    { email: 'owner@demo.example', firstName: 'Olivia', role: first ? 'super_admin' : 'admin' },
    { email: 'admin@demo.example', firstName: 'Adam', role: 'admin' },
    { email: 'member@demo.example', firstName: 'Mia', role: 'member' },
  ];
  const created = [];
  for (const person of people) {
    const password = randomBytes(12).toString('base64url');
    const { id } = await createUser(work, { familyId, ...person, lastName: 'Demo', password });
    created.push({ id, password, ...person });
  }
  return created;
}

/** Answers with the account that the first statement went into. */
async function importStatements(work: Work, familyId: string): Promise<string> {
  const ids: string[] = [];
  for (const { file, ...account } of DEMO_ACCOUNTS) {
    const { id } = await createAccount(work, { familyId, ...account });
    await importStatement(work, {
      familyId,
      account: id,
      file: join(import.meta.dirname, 'statements', file),
    });
    ids.push(id);
  }
  return ids[0] ?? '';
}

async function decideTransfers(
  work: Work,
  familyId: string,
): Promise<{ rejected: string; confirmed: string }> {
  const { pending } = await matchTransfers(work, { familyId });
  const coincidences = pending.filter(({ inflow }) => NO_TRANSFERS.includes(inflow.name));
  for (const { id } of coincidences) await rejectTransfer(work, { familyId, id });

  const real = pending.filter((transfer) => !coincidences.includes(transfer));
  const decided = real.toSorted(oldestFirst).slice(0, -LEFT_PENDING);
  for (const { id } of decided) await confirmTransfer(work, { familyId, id });
  await pairAcrossCurrencies(work, familyId);

  const [rejected] = coincidences;
  const [confirmed] = decided;
  if (!rejected || !confirmed) throw new Error('the sample statements hold transfers and coincidences');
  return { rejected: rejected.id, confirmed: confirmed.outflow.transactionId };
}

function oldestFirst(a: TransferView, b: TransferView): number {
  return a.outflow.date < b.outflow.date ? -1 : 1;
}

/** One transfer that only a person can find: dollars leave, euros arrive. */
async function pairAcrossCurrencies(work: Work, familyId: string): Promise<void> {
  const rows = await work.sql<{ id: string }>(
    `select t.id from transactions t join entries e on e.family_id = t.family_id and e.id = t.entry_id
     where t.family_id = $1 and e.name in ('Wire to euro account', 'Wire from USD account')`,
    [familyId],
  );
  const [first, second] = rows;
  if (first && second) await pairTransfer(work, { familyId, transactionIds: [first.id, second.id] });
}
