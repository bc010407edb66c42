import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiKey } from '#src/auth/create-api-key.ts';
import { type ImportReport, importStatement } from '#src/imports/import-statement.ts';
import type { Work } from '#src/kernel/work.ts';
import type { Account } from '#src/ledger/account.entity.ts';
import { createAccount, type NewAccount } from '#src/ledger/create-account.ts';
import { createFamily } from '#src/ledger/create-family.ts';
import { createUser } from '#src/users/create-user.ts';
import type { Harness } from '#test/support/database.ts';

export interface Household {
  familyId: string;
  userId: string;
  email: string;
  key: string;
}

/** A family with one user and a key that may read. */
export async function givenHousehold(
  harness: Harness,
  { name = 'Smith', currency = 'USD' } = {},
): Promise<Household> {
  return harness.perform(async (work) => {
    const { id: familyId } = await createFamily(work, { name, currency });
    const email = `${randomUUID()}@example.com`;
    const { id: userId } = await createUser(work, { familyId, email });
    const { key } = await createApiKey(work, { userId, name: 'test', scope: 'read' });
    return { familyId, userId, email, key };
  });
}

export async function givenAccount(
  harness: Harness,
  { familyId, ...account }: Partial<NewAccount> & { familyId: string },
): Promise<Account> {
  return harness.perform((work) =>
    createAccount(work, { name: `Account ${randomUUID()}`, accountType: 'depository', ...account, familyId }),
  );
}

/** One line of a statement: date, amount as the bank writes it (money out is negative), text. */
export type Line = readonly [date: string, amount: string, name: string];

export async function givenStatement(
  harness: Harness,
  { familyId, id }: Pick<Account, 'familyId' | 'id'>,
  lines: readonly Line[],
): Promise<ImportReport> {
  const file = await statementFile(lines);
  return harness.perform((work: Work) => importStatement(work, { familyId, account: id, file }));
}

/** A CSV file with these lines, in the system's temporary folder. */
export async function statementFile(lines: readonly Line[]): Promise<string> {
  const file = join(tmpdir(), `statement-${randomUUID()}.csv`);
  const rows = lines.map(([date, amount, name]) => `${date},${amount},"${name.replaceAll('"', '""')}"`);
  await writeFile(file, `Date,Amount,Description\n${rows.join('\n')}\n`);
  return file;
}
