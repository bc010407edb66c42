import { randomUUID, randomUUIDv7 } from 'node:crypto';
import { createApiKey } from '#src/auth/create-api-key.ts';
import { createAccount } from '#src/ledger/create-account.ts';
import { createFamily } from '#src/ledger/create-family.ts';
import { createUser } from '#src/users/create-user.ts';
import type { Harness } from '#test/support/database.ts';

export interface Ledger {
  familyId: string;
  userId: string;
  keyId: string;
  /** What its owner sends along. */
  headers: { 'X-Api-Key': string };
  checking: string;
  savings: string;
}

/** A family with a key and two accounts. */
export async function givenLedger(harness: Harness): Promise<Ledger> {
  return harness.perform(async (work) => {
    const { id: familyId } = await createFamily(work, { name: 'Smith', currency: 'USD' });
    const { id: userId } = await createUser(work, { familyId, email: `${randomUUID()}@example.com` });
    const { apiKey, key } = await createApiKey(work, { userId, name: 'test', scope: 'read' });
    const account = (name: string) => createAccount(work, { familyId, name, accountType: 'depository' });
    const checking = await account('Checking');
    const savings = await account('Savings');
    return {
      familyId,
      userId,
      keyId: apiKey.id,
      headers: { 'X-Api-Key': key },
      checking: checking.id,
      savings: savings.id,
    };
  });
}

interface NewTransaction {
  accountId: string;
  /** Money out is positive. */
  cents: number;
  date?: string;
  name?: string;
  notes?: string | null;
  currency?: string;
  externalId?: string | null;
  createdAt?: string;
}

export async function givenTransaction(
  harness: Harness,
  { familyId }: Pick<Ledger, 'familyId'>,
  { accountId, cents, ...rest }: NewTransaction,
): Promise<string> {
  const { date = '2026-01-15', name = 'Payment', notes = null, currency = 'USD', externalId = null } = rest;
  const [entryId, id] = [randomUUIDv7(), randomUUIDv7()];
  await harness.query(
    `insert into entries (family_id, id, account_id, date, amount_cents, currency, name, notes, external_id, source)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'manual')`,
    [familyId, entryId, accountId, date, cents, currency, name, notes, externalId],
  );
  await harness.query(
    `insert into transactions (family_id, id, entry_id, kind, created_at, updated_at)
     values ($1, $2, $3, 'standard', $4, $4)`,
    [familyId, id, entryId, rest.createdAt ?? new Date()],
  );
  return id;
}

interface NewPair {
  status: 'pending' | 'confirmed' | 'rejected';
  /** Ids of transactions. */
  outflow: string;
  inflow: string;
  id?: string;
  createdAt?: string;
}

export async function givenPair(
  harness: Harness,
  { familyId }: Pick<Ledger, 'familyId'>,
  { status, outflow, inflow, id = randomUUIDv7(), createdAt }: NewPair,
): Promise<string> {
  const values = [familyId, id, inflow, outflow, createdAt ?? new Date()];
  const columns = 'family_id, id, inflow_transaction_id, outflow_transaction_id, created_at, updated_at';
  if (status === 'rejected') {
    await harness.query(
      `insert into rejected_transfers (${columns}) values ($1, $2, $3, $4, $5, $5)`,
      values,
    );
  } else {
    const before = status === 'confirmed' ? 'standard' : null;
    await harness.query(
      `insert into transfers (${columns}, status, inflow_kind_before, outflow_kind_before)
       values ($1, $2, $3, $4, $5, $5, $6, $7, $7)`,
      [...values, status, before],
    );
  }
  return id;
}

/** $25 from checking to savings, paired and then rejected. */
export async function givenRejectedTransfer(
  harness: Harness,
  ledger: Ledger,
  date = '2026-01-15',
): Promise<string> {
  const { checking, savings } = ledger;
  const outflow = await givenTransaction(harness, ledger, { accountId: checking, cents: 2500, date });
  const inflow = await givenTransaction(harness, ledger, { accountId: savings, cents: -2500, date });
  return givenPair(harness, ledger, { status: 'rejected', outflow, inflow });
}
