import type pg from 'pg';
import { apiKeyDigest, newApiKeyValue } from '#src/auth/api-key-value.ts';
import { ID_FUNCTION, LEDGER, PEOPLE } from '#test/bench/ledger-sql.ts';

/** Transactions of the small ledger; a larger one is a multiple of it. */
export const SMALL = 10_000;

export interface Ledger {
  transactions: number;
  familyId: string;
  /** Reads the big family. */
  key: string;
  accountIds: string[];
  transactionIds: string[];
}

/**
 * Four fifths of the transactions belong to one family, whose 10,000 rejected pairs are the same at every size; the
 * rest to others, 100 each. A quarter of them has a category, a merchant and tags, and a quarter is in a transfer.
 */
export async function fillLedger(client: pg.Client, transactions: number): Promise<Ledger> {
  const spread = transactions / SMALL;
  if (!Number.isInteger(spread) || spread < 1) throw new Error(`the size must be a multiple of ${SMALL}`);
  const families = transactions / 500;

  await client.query(ID_FUNCTION);
  for (const text of PEOPLE) await client.query(text, [families]);
  for (const { text, values } of LEDGER) await client.query(text, values(families, spread));
  const key = await addKey(client);
  await client.query('drop table drafts, pairs');
  await client.query('vacuum (analyze)');
  return { transactions, key, ...(await sample(client)) };
}

/** Everybody has a key; this one is known. */
async function addKey(client: pg.Client): Promise<string> {
  const key = newApiKeyValue();
  await client.query(
    `insert into api_keys (id, user_id, name, scope, digest, first_characters, last_characters, created_at)
     select pg_temp.bench_id('key', -1), pg_temp.bench_id('user', 0), 'bench', 'read', $1, 'fin_', 'xxxx', now()`,
    [apiKeyDigest(key)],
  );
  return key;
}

async function sample(client: pg.Client): Promise<Omit<Ledger, 'transactions' | 'key'>> {
  const ids = async (text: string) => (await client.query<{ id: string }>(text)).rows.map(({ id }) => id);
  const [familyId = ''] = await ids(`select pg_temp.bench_id('family', 0) as id`);
  return {
    familyId,
    accountIds: await ids(`select id from accounts where family_id = '${familyId}' order by id`),
    transactionIds: await ids(
      `select id from transactions where family_id = '${familyId}' order by md5(id::text) limit 200`,
    ),
  };
}
