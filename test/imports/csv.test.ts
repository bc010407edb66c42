import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { detectDecimal } from '#src/imports/readers/csv/detect-decimal.ts';
import { headerKey } from '#src/imports/readers/csv/field-names.ts';
import { readContent, readFixture, refusalOf } from '#test/imports/read-statement.ts';

test('reads a plain file', async () => {
  const read = await readContent(
    'Date,Payee,Memo,Amount,Category,Tags,ID\n2024-01-31, Shop ,rolls,-1.50,Food,"a, b;a",x1\n\n2024-02-01,Boss,,1000,,,x2\n',
  );

  expect(read).toMatchObject({
    format: 'csv',
    detected: { delimiter: ',', decimal: '.', dateFormat: 'YYYY-MM-DD', headerLine: '1', encoding: 'utf-8' },
    problems: [],
    notices: [],
  });
  expect(read.rows).toEqual([
    {
      line: 2,
      date: '2024-01-31',
      amountCents: 150,
      currency: 'USD',
      name: 'Shop',
      notes: 'rolls',
      externalId: 'x1',
      category: 'Food',
      merchant: null,
      tags: ['a', 'b'],
      accountHint: null,
    },
    expect.objectContaining({ line: 4, amountCents: -100_000, notes: null, category: null, tags: [] }),
  ]);
});

describe('recognises the columns of', () => {
  test.each([
    [
      'English debit and credit',
      'Posting Date,Description,Debit,Credit\n2024-01-31,A,1.50,\n2024-01-31,B,,2.50\n',
    ],
    [
      'withdrawals',
      'Date;Details;Withdrawals;Deposits;Balance\n31/01/2024;A;1,50;;9\n31/01/2024;B;0,00;2,50;9\n',
    ],
    [
      'money in and out',
      'Date\tDescription\tMoney In\tMoney Out\n31 Jan 2024\tA\t\t£1.50\n31 Jan 2024\tB\t£2.50\t\n',
    ],
    ['debits printed negative', 'Date,Name,Debit,Credit\n2024-01-31,A,-1.50,\n2024-01-31,B,,2.50\n'],
    ['a direction', 'Date,Name,Amount,Dr/Cr\n2024-01-31,A,1.50,DR\n2024-01-31,B,2.50,CR\n'],
    ['German', 'Buchungstag;Empfänger;Betrag\n31.01.2024;A;-1,50\n31.01.2024;B;2,50\n'],
    ['German Soll and Haben', 'Datum|Buchungstext|Betrag|Soll/Haben\n31.01.24|A|1,50|S\n31.01.24|B|2,50|H\n'],
    ['French', 'Date opération;Libellé;Débit;Crédit\n31/01/2024;A;1,50;\n31/01/2024;B;;2,50\n'],
    ['Spanish', 'Fecha operación;Concepto;Importe\n31/01/2024;A;-1,50\n31/01/2024;B;2,50\n'],
    ['Dutch', 'Boekdatum;Naam tegenpartij;Bedrag\n31-01-2024;A;-1,50\n31-01-2024;B;+2,50\n'],
    ['amounts with parentheses', 'DATE,NAME,AMOUNT\n01/31/2024,A,($1.50)\n01/31/2024,B,$2.50\n'],
  ])('%s', async (_, content) => {
    const { rows, problems } = await readContent(content.replaceAll('£', ''));

    expect(problems).toEqual([]);
    expect(rows).toMatchObject([
      { date: '2024-01-31', name: 'A', amountCents: 150 },
      { date: '2024-01-31', name: 'B', amountCents: -250 },
    ]);
  });

  test('a German bank with lines before the header and line breaks in cells', async () => {
    const { rows, problems, detected } = await readFixture('german-bank.csv', { currency: 'EUR' });

    expect(detected).toMatchObject({
      delimiter: ';',
      decimal: ',',
      headerLine: '4',
      dateFormat: 'DD.MM.YYYY',
    });
    expect(problems).toEqual([{ line: 8, message: 'is in "USD", not in EUR' }]);
    expect(rows).toMatchObject([
      { line: 5, date: '2024-01-31', amountCents: 104_530, name: 'Stadtwerke Köln', notes: 'Strom\nJanuar' },
      { line: 7, amountCents: -250_000, externalId: null },
    ]);
  });

  test('a Dutch bank', async () => {
    const { rows } = await readFixture('dutch-bank.csv', { currency: 'EUR' });

    expect(rows).toMatchObject([
      { date: '2024-01-31', amountCents: 1234, name: 'Albert Heijn', accountHint: 'NL01INGB0000000001' },
      { date: '2024-01-30', amountCents: -123_400, notes: 'Salaris' },
    ]);
  });
});

describe('presets', () => {
  test('Mint', async () => {
    const { rows, detected } = await readFixture('mint.csv', { account: 'Checking' });

    expect(detected.preset).toBe('mint');
    expect(rows).toMatchObject([
      {
        line: 2,
        date: '2019-03-04',
        amountCents: 4510,
        name: 'Grocer',
        notes: 'weekly\nshop',
        tags: ['home', 'food'],
      },
      { line: 4, date: '2019-03-05', amountCents: -150_000, category: 'Paycheck', accountHint: 'Checking' },
    ]);
  });

  test('Mint, with two accounts and no choice', async () => {
    await expect(readFixture('mint.csv')).rejects.toThrow('f:1: holds 2 accounts: "Checking", "Card"');
  });

  test('YNAB', async () => {
    const { rows, detected } = await readFixture('ynab.csv');

    expect(detected.preset).toBe('ynab');
    expect(rows).toMatchObject([
      { date: '2024-01-31', amountCents: 123_450, name: 'Market', category: 'Food', accountHint: 'Cash' },
      { date: '2024-01-30', amountCents: -2000, category: null },
    ]);
  });

  test('YNAB 4', async () => {
    const { rows } = await readFixture('ynab4.csv', { currency: 'EUR' });

    expect(rows).toMatchObject([{ date: '2014-01-31', amountCents: 320, name: 'Bäcker', category: 'Essen' }]);
  });

  test('Actual, splits by their parts', async () => {
    const { rows, notices } = await readFixture('actual.csv');

    expect(rows.map(({ amountCents }) => amountCents)).toEqual([1025, 2025, -100_000]);
    expect(notices).toEqual([{ line: 2, message: expect.stringContaining('sum of a split') }]);
  });

  test('Firefly III, a side at a time', async () => {
    const checking = await readFixture('firefly.csv', { currency: 'EUR', account: 'Checking' });
    const dollars = await readFixture('firefly.csv', { currency: 'USD', account: 'Dollars' });

    expect(checking.rows).toMatchObject([
      {
        externalId: '21',
        amountCents: 2550,
        category: 'Food',
        tags: ['a', 'b'],
        notes: 'hello',
        date: '2024-01-02',
      },
      { externalId: '22', amountCents: -100_000 },
      { externalId: '23', amountCents: 5000 },
      { externalId: '24', amountCents: -500 },
    ]);
    expect(dollars.rows).toMatchObject([{ externalId: '23', amountCents: -5420, currency: 'USD' }]);
    expect([...checking.problems, ...dollars.problems]).toEqual([]);
  });

  test('one that does not fit is refused', async () => {
    const refusal = await refusalOf('Date,Name,Amount\n2024-01-31,A,1\n', { preset: 'mint' });

    expect(refusal.message).toMatch(
      /no header with the columns of a mint export in the first 30 lines; seen: "Date"/,
    );
  });
});

describe('what is given wins', () => {
  const content = 'When;Who;How much;Date\n01/02/2024;A;1.234;x\n';

  test('columns by header, sign, date format and decimal mark', async () => {
    const { rows } = await readContent(content, {
      columns: { date: 'when', name: 'Who', amount: 'How much' },
      dateFormat: 'DD/MM/YYYY',
      decimal: ',',
      sign: 'outflow-positive',
    });

    expect(rows).toMatchObject([{ date: '2024-02-01', name: 'A', amountCents: 123_400 }]);
  });

  test('columns by number, with a header and without', async () => {
    const options = {
      columns: { date: 1, name: 2, amount: 3 },
      dateFormat: 'MM/DD/YYYY',
      decimal: '.',
    } as const;

    const withHeader = await readContent(content, options);
    const without = await readContent(content.slice(content.indexOf('\n') + 1), options);

    expect(withHeader.rows).toMatchObject([{ line: 2, date: '2024-01-02', amountCents: -123 }]);
    expect(without.rows).toMatchObject([{ line: 1, date: '2024-01-02', amountCents: -123 }]);
    expect(without.notices).toEqual([{ line: 1, message: 'the amount was rounded to the digits of USD' }]);
  });

  test('delimiter and lines to skip', async () => {
    const text = 'Date,Name,Amount\nold,stuff,here\n\nDate~Name~Amount\n2024-01-31~A,B~-1\n';

    const { rows } = await readContent(text, { delimiter: '~', skipRows: 3 });

    expect(rows).toMatchObject([{ line: 5, name: 'A,B', amountCents: 100 }]);
  });

  test('a column may be left out', async () => {
    const text = 'Date,Name,Amount,Account\n2024-01-31,A,-1,X\n2024-01-31,B,-1,Y\n';

    expect((await readContent(text, { columns: { account: '' } })).rows).toHaveLength(2);
    expect((await refusalOf(text)).message).toMatch(/holds 2 accounts: "X", "Y"/);
  });
});

describe('doubt', () => {
  test.each([
    [
      'days or months',
      'Date,Name,Amount\n01/02/2024,A,1.00\n03/04/2024,B,1.00\n',
      /^f:2: dates such as "01\/02\/2024" may be/,
    ],
    ['no dates', 'Date,Name,Amount\nsoon,A,1.00\n', /^f:2: the date column has no dates, but "soon"/],
    [
      'decimals or thousands',
      'Date,Name,Amount\n2024-01-31,A,1.234\n',
      /^f:2: amounts such as "1.234" may have/,
    ],
    [
      'both decimal marks',
      'Date;Name;Amount\n2024-01-31;A;1,5\n2024-01-31;A;1.5\n',
      /^f:2: some amounts have a decimal comma/,
    ],
    [
      'no header',
      'a,b,c\n2024-01-31,A,1.00\n',
      /^f:1: no header with columns for a date and an amount.*seen: "a", "b", "c"/,
    ],
    ['no such header', 'Date,Amount\n2024-01-31,1.00\n', /^f:1: no header .*seen: "Date", "Amount"/],
  ])('about %s is refused', async (about, content, message) => {
    const options = about === 'no such header' ? { columns: { name: 'Nome' } } : {};

    const refusal = await refusalOf(content, options);

    expect(refusal.message).toMatch(message);
    expect(refusal.hint).toMatch(/--date-format|--decimal|--map/);
  });

  test.each(['YYYY', 'tomorrow'])('date format %s is refused', async (dateFormat) => {
    const refusal = await refusalOf('Date,Amount\n2024-01-31,1\n', { dateFormat });

    expect(refusal.message).toMatch(/date format ".*" is not known/);
  });

  test('about the ids keeps them out', async () => {
    const { rows } = await readContent('Date,Name,Amount,ID\n2024-01-31,A,1,x\n2024-01-31,B,1,x\n');

    expect(rows.map(({ externalId }) => externalId)).toEqual([null, null]);
  });

  test('about a direction column that is none ignores it', async () => {
    const { rows } = await readContent('Date,Name,Amount,Transaction Type\n2024-01-31,A,-1,POS\n');

    expect(rows).toMatchObject([{ amountCents: 100 }]);
  });
});

test('bad rows are problems with their lines, good ones are read', async () => {
  const content = [
    'Date,Name,Amount,Currency',
    '2024-01-31,"two',
    'lines",-1.00,USD',
    '2024-02-30,A,1,USD',
    ',A,1,USD',
    '2024-01-31,A,,USD',
    '2024-01-31,A,x,USD',
    '2024-01-31,A,1,EUR',
    '2024-01-31,A',
    '2024-01-31,A,1,USD,extra',
    ' , , ,',
    '2024-01-31,A,1,USD,,',
    '2024-01-31,B "x" y,1.005,usd',
  ].join('\n');

  const { rows, problems, notices } = await readContent(content);

  expect(rows.map(({ line }) => line)).toEqual([2, 12, 13]);
  expect(rows[0]?.name).toBe('two lines');
  expect(rows[2]).toMatchObject({ name: 'B "x" y', amountCents: -101 });
  expect(notices).toEqual([{ line: 13, message: 'the amount was rounded to the digits of USD' }]);
  expect(problems).toEqual([
    { line: 4, message: 'date "2024-02-30" is no real date (YMD)' },
    { line: 5, message: 'date is empty' },
    { line: 6, message: 'amount is empty' },
    { line: 7, message: 'amount "x" is not a number in USD' },
    { line: 8, message: 'is in "EUR", not in USD' },
    { line: 9, message: 'has 2 columns, the header 4' },
    { line: 10, message: 'has 5 columns, the header 4' },
  ]);
});

test.each(['\r\n', '\n', '\r'])('counts lines ended by %j, in quotes too', async (end) => {
  const { rows } = await readContent(
    ['Date,Name,Amount', '2024-01-31,"a', '', 'b",1', '', '2024-01-31,c,1', '2024-01-31,"d', 'e",1'].join(
      end,
    ),
  );

  expect(rows.map(({ line, name }) => [line, name])).toEqual([
    [2, 'a b'],
    [6, 'c'],
    [7, 'd e'],
  ]);
});

test('a quotation mark without partner refuses the file at its row', async () => {
  const refusal = await refusalOf('Date,Name,Amount\n2024-01-31,A,1\n2024-01-31,"B,1\n2024-01-31,C,1\n');

  expect(refusal.message).toBe('f:3: a quoted field has no end');
});

test('so does a row of endless length', async () => {
  const refusal = await refusalOf(
    `Date,Name,Amount\n2024-01-31,A,1\n2024-01-31,"${'x'.repeat(600_000)}",1\n`,
  );

  expect(refusal.message).toMatch(/^f:3: a row of more than \d+ characters begins here/);
});

test('a file with a header only has no rows', async () => {
  expect((await readContent('Date,Name,Amount\n')).rows).toEqual([]);
});

test.each([
  ['Betrag (EUR)', 'betrag'],
  ['Betrag in EUR', 'betrag'],
  ['Amount (€)', 'amount'],
  [' Booking  Date ', 'booking date'],
  ['Empfänger/Auftraggeber', 'empfanger auftraggeber'],
  ['Category Group/Category', 'category group category'],
  ['EUR', 'eur'],
  ['', ''],
])('header %j is %j', (header, key) => {
  expect(headerKey(header)).toBe(key);
});

test.each([
  [['1.50'], 2, '.'],
  [['1,50'], 2, ','],
  [['1,234.50'], 2, '.'],
  [['1.234,50'], 2, ','],
  [['1,234,567'], 2, '.'],
  [['1.234.567'], 2, ','],
  [['1.234', '1.5'], 2, '.'],
  [['1.234', '1,5'], 2, ','],
  [['0.123'], 2, '.'],
  [['1234,567'], 2, ','],
  [['CHF 1’234.50', 'Fr. 5'], 2, '.'],
  [['12', '-7'], 2, '.'],
  [[], 2, '.'],
  [['1.234'], 3, '.'],
  [['1.234'], 2, 'ambiguous'],
  [['1.5', '1,5'], 2, 'mixed'],
])('%j in a currency of %i digits: %s', (samples, digits, decimal) => {
  expect(detectDecimal(samples, digits)).toBe(decimal);
});

function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}

test('reads back any text that is written by the rules of CSV', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', ';', '\n', ' ', '😀', "'", '\t') });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(text, fc.integer()), { minLength: 1, maxLength: 20 }),
      async (entries) => {
        const lines = entries.map(
          ([name, cents]) => `2024-01-31,${quoted(name)},${(BigInt(cents) * 10n).toString()}`,
        );

        const { rows, problems } = await readContent(`Date,Name,Amount\n${lines.join('\n')}\n`);

        expect(problems).toEqual([]);
        const expected = entries.map(([name, cents]) => [
          name.replace(/\s+/g, ' ').trim() || '(no description)',
          0 - cents * 1000,
        ]);
        expect(rows.map(({ name, amountCents }) => [name, amountCents])).toEqual(expected);
      },
    ),
  );
});

test('never fails otherwise than by refusing', async () => {
  const part = fc.oneof(
    fc.constantFrom('Date', 'Amount', ',', ';', '\n', '"', '2024-01-31', '1.5'),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 40 }), async (parts) => {
      const content = `Date,Amount\n${parts.join('')}`;
      await readContent(content).catch((error: unknown) => {
        expect(error).toMatchObject({
          code: 'validation_failed',
          message: expect.stringMatching(/^f:\d+: /),
        });
      });
    }),
  );
});
