import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { exported, imported, ndjson } from '#test/family-data/family-files.ts';
import { account, named, transaction, uuid } from '#test/family-data/records.ts';
import { useRuntime } from '#test/support/database.ts';
import { givenHousehold } from '#test/support/given.ts';

const harness = useRuntime();

const GOOD = ndjson([account(1), transaction(10)]);

describe('a file that is broken as a whole is refused, and nothing of it comes in', () => {
  test.each<[name: string, content: string | Uint8Array, message: string]>([
    ['cut off', `${GOOD}{"type":"Tag","data":{"id`, 'all.ndjson:3: is no JSON object'],
    ['a list', `${GOOD}[1]\n`, 'all.ndjson:3: is no JSON object'],
    ['no type', `${GOOD}\n{"data":{}}\n`, 'all.ndjson:4: has no "type"'],
    ['a type that is no text', `${GOOD}{"type":7,"data":{}}`, 'all.ndjson:3: has no "type"'],
    ['no data', `${GOOD}{"type":"Tag","data":null}`, 'all.ndjson:3: has no "data"'],
    ['data that is a list', `${GOOD}{"type":"Tag","data":[]}`, 'all.ndjson:3: has no "data"'],
    [
      // Read to its end it would be refused for its last byte.
      'an endless line',
      Buffer.concat([Buffer.from(`${GOOD}{"x":"${'x'.repeat(3_000_000)}`), Buffer.of(0xff)]),
      'all.ndjson:3: has more than 1 MiB',
    ],
    [
      'a long line',
      `${GOOD}{"type":"Tag","data":{"x":"${'x'.repeat(1_100_000)}"}}\n${GOOD}`,
      'all.ndjson:3: has more than 1 MiB',
    ],
    [
      'another encoding',
      Buffer.from(`${GOOD}{"type":"Tag","data":{"name":"Caf\u00e9"}}`, 'latin1'),
      'all.ndjson:1: has bytes that are not UTF-8, at or after this line',
    ],
    ['damaged gzip', gzipSync(GOOD).subarray(0, -12), 'all.ndjson:1: is damaged gzip'],
    ['deep nesting', `${GOOD}${'['.repeat(500_000)}`, 'all.ndjson:3: is no JSON object'],
  ])('%s', async (_, content, message) => {
    const { familyId } = await givenHousehold(harness);

    await expect(imported(harness, { familyId }, content)).rejects.toMatchObject({
      code: 'validation_failed',
      message,
    });
    expect(await harness.query('select 1 from accounts')).toEqual([]);
  });

  test('one without an account, when it is to make a family', async () => {
    await expect(imported(harness, { newFamily: 'New' }, ndjson([named('Tag', 1)]))).rejects.toMatchObject({
      code: 'validation_failed',
      message: 'the file has no account, so the currency of a new family is not known',
    });
  });
});

describe('a record that cannot be kept is rejected, with line and reason, and the rest comes in', () => {
  const long = 'x'.repeat(201);
  const refused: [record: { type: string; data: object }, message: string][] = [
    [
      account(3, { accountable_type: 'Spaceship' }),
      'Account: accountable_type is "Spaceship", not one of Depository, Investment, Crypto, Property, Vehicle, OtherAsset, CreditCard, Loan, OtherLiability',
    ],
    [
      account(3, { currency: 'BTC' }),
      'Account: "BTC" is not an ISO 4217 currency code such as USD, EUR or CHF',
    ],
    [
      account(3, { status: 'asleep' }),
      'Account: status is "asleep", not one of draft, active, disabled, pending_deletion',
    ],
    [account(3, { name: '\u0000\u202e' }), 'Account: name is missing'],
    [account(3, { name: 7 }), 'Account: name is no text'],
    [account(3, { name: long }), 'Account: name has more than 200 characters'],
    [account(3, { name: '\ud800' }), 'Account: name holds a broken character'],
    [account(3, { id: null }), 'Account: id is missing'],
    [account(3, { id: 'x'.repeat(256) }), 'Account: id has more than 255 characters'],
    [
      account(3, { created_at: 'yesterday' }),
      'Account: created_at is "yesterday", not a time such as 2026-01-31T12:00:00Z',
    ],
    [account(1, { name: 'Twice' }), 'Account: its id is on an earlier line already'],
    [named('Category', 3, { color: 'red' }), 'Category: color is not written like #6172F3'],
    [named('Category', 3, { parent_id: uuid(3) }), 'Category: its parents go round in a circle'],
    [transaction(11, { amount: '1e3' }), 'Transaction: amount is "1e3", not a decimal number'],
    [
      transaction(11, { amount: '90071992547409.92' }),
      'Transaction: amount "90071992547409.92" is too large',
    ],
    [
      transaction(11, { amount: 12345678901234.56 }),
      'Transaction: amount has more digits than a JSON number keeps; write it in quotes',
    ],
    [transaction(11, { amount: ['5'] }), 'Transaction: amount is no text'],
    [transaction(11, { amount: null }), 'Transaction: amount is "", not a decimal number'],
    [
      transaction(11, { date: '2025-02-30' }),
      'Transaction: date is "2025-02-30", not a date such as 2026-01-31',
    ],
    [
      transaction(11, { date: '2025-02-03; drop table entries' }),
      'Transaction: date is "2025-02-03; drop table entries", not a date such as 2026-01-31',
    ],
    [
      transaction(11, { currency: 'usd!' }),
      'Transaction: "usd!" is not an ISO 4217 currency code such as USD, EUR or CHF',
    ],
    [
      transaction(11, { kind: 'gift' }),
      'Transaction: kind is "gift", not one of standard, funds_movement, cc_payment, loan_payment, one_time, investment_contribution',
    ],
    [transaction(11, { tag_ids: 'all' }), 'Transaction: tag_ids is no list'],
    [transaction(11, { tag_ids: [7] }), 'Transaction: tag_ids holds something that is no id'],
    // Each part would have each of the tags.
    [
      transaction(11, { tag_ids: Array.from({ length: 1_001 }, String) }),
      'Transaction: tag_ids has more than 1000 ids',
    ],
    [
      transaction(11, { split_lines: Array.from({ length: 501 }, () => ({})) }),
      'Transaction: split_lines has more than 500 parts',
    ],
    [
      transaction(11, { source: 'Bank-1' }),
      'Transaction: source is not a word of lower-case letters, digits and _',
    ],
    [
      transaction(11, { account_id: uuid(404) }),
      'Transaction: account_id names no account of this file or family',
    ],
    [transaction(12, { entry_id: uuid(10) }), 'Transaction: its entry_id is on an earlier line already'],
    [transaction(10, { name: 'Twice' }), 'Transaction: its id is on an earlier line already'],
    [
      transaction(11, { split_lines: [{ id: uuid(12), amount: '4.0' }] }),
      'Transaction: split_lines do not add up to the amount',
    ],
    [transaction(11, { split_lines: [7] }), 'Transaction: split_lines holds something that is no object'],
    [
      { type: 'Transfer', data: { id: uuid(20), inflow_transaction_id: uuid(10) } },
      'Transfer: outflow_transaction_id is missing',
    ],
    [
      { type: 'Family', data: { currency: 'USD', transfer_matching: 'on' } },
      'Family: transfer_matching is neither true nor false',
    ],
  ];

  test('all of these', async () => {
    const { familyId } = await givenHousehold(harness);
    const records = [account(1), transaction(10), ...refused.map(([record]) => record)];
    const report = await imported(harness, { familyId }, ndjson(records));

    expect(report.messages).toEqual(refused.map(([, message], index) => ({ line: index + 3, message })));
    expect(report).toMatchObject({ rejectedCount: refused.length, conflictCount: 0 });
    const document = await exported(harness, familyId);
    expect(document.trim().split('\n')).toHaveLength(3);
    expect(document).not.toContain('Twice');
  });

  test('categories whose parents go round, however long the way is', async () => {
    const { familyId } = await givenHousehold(harness);
    const way = Array.from({ length: 300 }, (_, i) =>
      named('Category', 100 + i, { parent_id: uuid(100 + ((i + 1) % 300)) }),
    );
    const below = named('Category', 50, { parent_id: uuid(100) });
    const sound = [
      named('Category', 60, { parent_id: uuid(61) }),
      named('Category', 61),
      named('Category', 62, { parent_id: uuid(404) }),
    ];
    const report = await imported(harness, { familyId }, ndjson([...way, below, ...sound]));

    expect(report.records).toEqual({ Category: { added: 3, present: 0, conflicts: 0, rejected: 301 } });
  });

  test('types that nobody knows are counted, whatever they are called', async () => {
    const { familyId } = await givenHousehold(harness);
    const types = [
      '__proto__',
      'constructor',
      'Budget',
      'Budget',
      ...Array.from({ length: 200 }, (_, i) => `T${i}`),
    ];
    const { skipped } = await imported(
      harness,
      { familyId },
      ndjson(types.map((type) => ({ type, data: {} }))),
    );

    expect(Object.values(skipped).reduce((sum, count) => sum + count, 0)).toBe(204);
    expect(Object.entries(skipped).slice(0, 3)).toEqual([
      ['__proto__', 1],
      ['constructor', 1],
      ['Budget', 2],
    ]);
    expect(Object.keys(skipped)).toHaveLength(101);
  });
});

test('ids that are no UUIDs are taken for one that always follows from them', async () => {
  const { familyId } = await givenHousehold(harness);
  const content = ndjson([
    account(1, { id: 'acct-1' }),
    transaction(10, { id: 'tx-1', entry_id: 'entry-1', account_id: 'acct-1' }),
    transaction(11, { id: 'tx-2', account_id: 'acct-1' }),
  ]);
  expect(await imported(harness, { familyId }, content)).toMatchObject({ rejectedCount: 0 });
  const document = await exported(harness, familyId);

  expect(await imported(harness, { familyId }, content)).toMatchObject({
    records: { Transaction: { present: 2 } },
  });
  expect(await exported(harness, familyId)).toBe(document);
});

test('amounts finer than their currency are rounded, and that is told', async () => {
  const { familyId } = await givenHousehold(harness);
  const fine = [account(1), transaction(10, { amount: '5.005' }), transaction(11, { amount: -7.25 })];
  const report = await imported(harness, { familyId }, ndjson(fine));

  expect(report.notices).toEqual(['amounts rounded to the digits of their currency: 1']);
  expect(await harness.query('select amount_cents from entries order by 1')).toEqual([
    { amount_cents: '-725' },
    { amount_cents: '501' },
  ]);
});
