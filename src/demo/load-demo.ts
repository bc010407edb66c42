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
import type { TransferSideView, TransferView } from '#src/ledger/views.ts';
import { createUser } from '#src/users/create-user.ts';
import { User } from '#src/users/user.entity.ts';

/** The keys are those that `demo load --json` prints. */
export interface Demo {
  api_key: string;
  read_write_key: string;
  base_url: string;
  family_id: string;
  /** One side of a confirmed transfer, with every detail a transaction can have. */
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
  const { userId, users } = await createUsers(work, familyId);
  await importStatements(work, familyId);
  const shown = await decideTransfers(work, familyId);

  const key = async (name: string, scope: string) => (await createApiKey(work, { userId, name, scope })).key;
  return {
    api_key: await key('demo', 'read'),
    read_write_key: await key('demo read and write', 'read_write'),
    base_url: baseUrl,
    family_id: familyId,
    transaction_id: shown.confirmed.transactionId,
    rejected_transfer_id: shown.rejectedId,
    account_id: shown.confirmed.account.id,
    users,
  };
}

/** The people of the household, and the id of the one who owns the keys. */
async function createUsers(work: Work, familyId: string): Promise<{ userId: string; users: Demo['users'] }> {
  // The first user of an instance becomes its super admin; beside others the sample must not bring one in.
  const first = (await work.em.count(User, {})) === 0;
  const create = async (email: string, firstName: string, role: string) => {
    const password = randomBytes(12).toString('base64url');
    const { id } = await createUser(work, { familyId, email, firstName, lastName: 'Demo', role, password });
    return { id, shown: { email, password, role } };
  };
  const owner = await create('owner@demo.example', 'Olivia', first ? 'super_admin' : 'admin');
  const admin = await create('admin@demo.example', 'Adam', 'admin');
  const member = await create('member@demo.example', 'Mia', 'member');
  return { userId: owner.id, users: [owner.shown, admin.shown, member.shown] };
}

async function importStatements(work: Work, familyId: string): Promise<void> {
  for (const { file, ...wanted } of DEMO_ACCOUNTS) {
    const { id: account } = await createAccount(work, { familyId, ...wanted });
    await importStatement(work, { familyId, account, file: join(import.meta.dirname, 'statements', file) });
  }
}

/** Some proposals become transfers, some are rejected, some wait. Answers with one of the first two to show. */
async function decideTransfers(
  work: Work,
  familyId: string,
): Promise<{ rejectedId: string; confirmed: TransferSideView }> {
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
  return { rejectedId: rejected.id, confirmed: confirmed.outflow };
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
