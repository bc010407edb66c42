import fc from 'fast-check';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTables } from '#src/backup/catalog.ts';
import { copyIn } from '#src/backup/copy-in.ts';
import { type Block, copyOut } from '#src/backup/copy-out.ts';
import { beginLossless } from '#src/backup/transaction.ts';
import { createDatabase } from '#test/support/database.ts';

let client: Client;
beforeAll(async () => {
  client = new Client({ connectionString: await createDatabase('empty') });
  await client.connect();
  await client.query(`
    create type mood as enum ('fine', 'so "so"');
    create table one (
      id integer generated always as identity, text text, bytes bytea, document jsonb, moment timestamptz,
      at_some_time timestamp, day date, amount bigint, exact numeric, rough double precision, rougher real,
      flag boolean, list text[], grid integer[][], uid uuid, span interval, mood mood, address inet,
      twice bigint generated always as (amount / 2) stored
    );
    create table two (like one including all);
    -- Whatever the role has set must not matter.
    set timezone = 'Asia/Kathmandu'; set datestyle = 'SQL, DMY'; set extra_float_digits = -5;
    set bytea_output = 'escape'; set intervalstyle = 'sql_standard'`);
});
afterAll(() => client.end());

const text = fc
  .string({ unit: 'binary', maxLength: 20 })
  .map((value) => value.replaceAll('\0', '').toWellFormed());
const nullable = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const row = fc.tuple(
  nullable(fc.oneof(text, fc.constantFrom('\\.', '\\N', '', '\t\n\r\\', '\u2028'))),
  nullable(fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes))),
  nullable(fc.jsonValue().map((value) => JSON.stringify(value).replaceAll('\\u0000', ''))),
  nullable(fc.integer({ min: 0, max: 2 ** 50 }).map((micros) => `epoch ${micros} us`)),
  nullable(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
  nullable(fc.tuple(fc.bigInt(), fc.nat()).map(([whole, rest]) => `${whole}.${rest}`)),
  nullable(fc.double()),
  nullable(fc.array(nullable(text), { maxLength: 4 })),
  nullable(fc.uuid()),
);

test('every value comes back as it was, whatever its type', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
      await beginLossless(client);
      const insert = `insert into one (text, bytes, document, moment, at_some_time, day, amount, exact, rough, rougher,
          flag, list, grid, uid, span, mood, address)
        select $1, $2, $3::jsonb, m.at, m.at at time zone 'UTC', m.at::date, $5::bigint, $6::numeric, $7::double precision, 1.1::real / 3,
          $5::bigint > 0, $8::text[], '{{1,2},{3,null}}', $9::uuid, m.at - 'epoch', 'so "so"', 'fe80::1/64'
        from (select 'epoch'::timestamptz + substring($4 from '\\d+')::bigint * interval '1 us' as at) m`;
      for (const values of rows) await client.query(insert, values);

      const table = (await readTables(client)).find(({ name }) => name === 'one');
      const columns = table?.columns.join(', ');
      expect(table?.columns).not.toContain('twice');
      const blocks: Block[] = [];
      for await (const block of copyOut(client, `copy (select ${columns} from one) to stdout`))
        blocks.push(block);
      const copied = await copyIn(client, `copy two (${columns}) from stdin`, pieces(blocks));

      expect(copied).toBe(rows.length);
      expect(blocks.reduce((sum, { rows }) => sum + rows, 0)).toBe(rows.length);
      const { rows: differing } = await client.query(
        `(select t::text from one t except all select t::text from two t) union all
         (select t::text from two t except all select t::text from one t)`,
      );
      await client.query('rollback');
      expect(differing).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

test('rows larger than a block stay whole', async () => {
  await beginLossless(client);
  await client.query(`insert into one (text) select repeat('ä', n * 1000000) from generate_series(1, 3) n`);
  const blocks: Block[] = [];
  for await (const block of copyOut(client, 'copy (select text from one) to stdout')) blocks.push(block);
  await client.query('rollback');

  expect(blocks.map(({ rows }) => rows)).toEqual([1, 1, 1]);
  expect(blocks.map(({ bytes }) => bytes.length)).toEqual([1, 2, 3].map((n) => n * 2_000_000 + 1));
});

/** Cut anywhere, as files are read. */
async function* pieces(blocks: readonly Block[]): AsyncGenerator<Buffer> {
  for (const { bytes } of blocks) {
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
  }
}
