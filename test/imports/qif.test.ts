import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readContent, readFixture, refusalOf } from '#test/imports/read-statement.ts';

const qif = (...records: string[]) => `!Type:Bank\n${records.map((record) => `${record}\n^\n`).join('')}`;
const PLAIN = 'D2024-01-31\nT-1.50\nPShop';

test('reads what Quicken writes', async () => {
  const { format, detected, rows, problems, notices } = await readFixture('quicken.qif', {
    account: 'Checking',
  });

  expect({ format, detected, problems }).toEqual({
    format: 'qif',
    detected: { encoding: 'utf-8', decimal: '.', dateFormat: 'MM/DD/YYYY' },
    problems: [],
  });
  expect(rows).toEqual([
    {
      line: 27,
      date: '2004-01-05',
      amountCents: 123_456,
      currency: 'USD',
      name: 'Landlord',
      notes: 'Rent for\nCheck 1042',
      externalId: null,
      category: 'Housing:Rent',
      merchant: null,
      tags: ['Office'],
      accountHint: 'Checking',
    },
    expect.objectContaining({
      line: 38,
      date: '2004-01-17',
      amountCents: 6000,
      category: null,
      notes: 'Split: Food -40.00 (Bread); Household -20.00',
    }),
    expect.objectContaining({
      line: 49,
      date: '2004-02-29',
      amountCents: -25_000,
      name: 'Reference ATM',
      notes: 'Transfer: Savings',
    }),
  ]);
  expect(notices).toEqual([{ line: 21, message: 'the opening balance 1,000.00 was left out' }]);
});

describe('several accounts in one file', () => {
  test('are refused, and listed', async () => {
    await expect(readFixture('quicken.qif')).rejects.toThrow('f:1: holds 2 accounts: "Checking", "Visa"');
  });

  test('are chosen by name', async () => {
    const { rows } = await readFixture('quicken.qif', { account: 'Visa' });

    expect(rows).toMatchObject([{ amountCents: 999, name: 'Books', notes: null, accountHint: 'Visa' }]);
  });

  test('an opening balance names the account of a file that does not', async () => {
    const content = qif('D2024-01-01\nT0.00\nPOpening Balance\nL[Giro]', PLAIN);

    const { rows, notices } = await readContent(`${content}${qif(PLAIN)}`);

    expect(rows.map(({ accountHint }) => accountHint)).toEqual(['Giro', 'Giro']);
    expect(notices).toEqual([]);
  });
});

describe('types', () => {
  test.each(['Bank', 'Cash', 'CCard', 'Oth A', 'Oth L', 'bank ', 'OTHA'])('%s is read', async (type) => {
    expect((await readContent(`!Type:${type}\n${PLAIN}\n^\n`)).rows).toMatchObject([{ amountCents: 150 }]);
  });

  test.each(['Cat', 'Class', 'Memorized', 'Prices', 'Security', 'Tag'])(
    '%s is a list beside',
    async (type) => {
      const { rows, notices } = await readContent(`!Type:${type}\nD31/31/31\nT9\n^\n${qif(PLAIN)}`);

      expect({ rows: rows.length, notices }).toEqual({ rows: 1, notices: [] });
    },
  );

  test('investments are refused', async () => {
    const { message, hint } = await refusalOf(`${qif(PLAIN)}!Type:Invst\nD2024-01-31\nNBuy\n^\n`);

    expect(message).toBe('f:6: holds investments (!Type:Invst)');
    expect(hint).toContain('bank, cash, credit card');
  });

  test('investments of other accounts stay unread', async () => {
    const content = `!Account\nNStocks\n^\n!Type:Invst\nD2024-01-31\nNBuy\n^\n!Account\nNGiro\n^\n${qif(PLAIN)}`;

    expect((await readContent(content, { account: 'Giro' })).rows).toHaveLength(1);
  });

  test('an unknown one is named', async () => {
    const { rows, notices } = await readContent(`!Type:Odd\n${PLAIN}\n^\n${qif(PLAIN)}`);

    expect(rows).toHaveLength(1);
    expect(notices).toEqual([{ line: 1, message: '!Type:Odd is not known; what follows was left out' }]);
  });

  test('a file without any is refused', async () => {
    expect((await refusalOf('!Option:AutoSwitch\n!Account\nNGiro\n^\n')).message).toBe(
      'f:1: holds no transactions (!Type:Bank)',
    );
  });
});

describe('dates', () => {
  const decided = { MDY: '12/31/1998', DMY: '31/12/1998', YMD: '1998-12-31' };

  test.each([
    ['1/31/2024', 'MDY', '2024-01-31'],
    ['01/31/24', 'MDY', '2024-01-31'],
    ['1/ 5/98', 'MDY', '1998-01-05'],
    ["1/31'24", 'MDY', '2024-01-31'],
    ["12/31' 5", 'MDY', '2005-12-31'],
    ["6/ 4'18", 'MDY', '2018-06-04'],
    ["8/ 1'7", 'MDY', '2007-08-01'],
    ["1/31'2024", 'MDY', '2024-01-31'],
    ["31/1'69", 'DMY', '2069-01-31'],
    ['31.01.2024', 'DMY', '2024-01-31'],
    ["28.02'2009", 'DMY', '2009-02-28'],
    ['31-1-24', 'DMY', '2024-01-31'],
    ['31 Jan 2024', 'DMY', '2024-01-31'],
    ['2024-01-31', 'YMD', '2024-01-31'],
    ['2024/1/ 5', 'YMD', '2024-01-05'],
    ['20240131', 'YMD', '2024-01-31'],
  ] as const)('%s in a file of %s is %s', async (text, order, date) => {
    const { rows, problems } = await readContent(qif(`D${decided[order]}\nT1`, `D${text}\nT1`));

    expect(problems).toEqual([]);
    expect(rows[1]?.date).toBe(date);
  });

  test('are of one order in the whole file, which any line may show', async () => {
    const early = Array.from({ length: 500 }, (_, i) => `D${(i % 12) + 1}/3/${1970 + (i % 50)}\nT1`);

    const { rows } = await readContent(qif(...early, 'D13/3/2024\nT1'));

    expect(rows[4]?.date).toBe('1974-03-05');
  });

  test('that may be read both ways are refused by line', async () => {
    const refusal = await refusalOf(qif('D5/5/2024\nT1', 'D3/4/2024\nT1'));

    expect(refusal.message).toBe('f:5: dates such as "3/4/2024" may be day or month first');
    expect(refusal.hint).toContain('--date-format');
  });

  test('that contradict each other are refused by both lines', async () => {
    expect((await refusalOf(qif('D3/4/2024\nT1', 'D31/1/2024\nT1', 'D1/31/2024\nT1'))).message).toBe(
      'f:5: date "31/1/2024" has the day first, "1/31/2024" in line 8 the month',
    );
  });

  test.each([
    ['DD/MM/YYYY', '2024-04-03'],
    ["MM/DD'YY", '2024-03-04'],
  ])('are read as %s when that is given', async (dateFormat, date) => {
    expect((await readContent(qif('D3/4/2024\nT1'), { dateFormat })).rows).toMatchObject([{ date }]);
  });

  test('follow an option of the file', async () => {
    expect((await readContent(`!Option:MDY\n${qif('D3/4/2024\nT1')}`)).rows).toMatchObject([
      { date: '2024-03-04' },
    ]);
  });

  test('that are none are problems with their line, or refused when all are', async () => {
    const { rows, problems } = await readContent(qif(PLAIN, 'T1\nD2024-02-30', 'D1899-12-31\nT1', 'T1'));

    expect(rows).toHaveLength(1);
    expect(problems).toMatchObject([
      { line: 7, message: 'date "2024-02-30" is no real date (YMD)' },
      { line: 9, message: 'date "1899-12-31" is no real date (YMD)' },
      { line: 12, message: 'the record has no date (D)' },
    ]);
    expect((await refusalOf(qif('Dsoon\nT1'))).message).toBe('f:2: date "soon" is no date');
    expect((await refusalOf(qif(PLAIN), { dateFormat: 'when' })).message).toMatch(
      /date format "when" is not known/,
    );
  });
});

describe('amounts', () => {
  test.each([
    ['-1.50', 150],
    ['1,234.56', -123_456],
    ['-1.234,56', 123_456],
    ['1 234,56', -123_456],
    ["1'234.56", -123_456],
    ['+7', -700],
    ['0.00', 0],
    ['$5.00', -500],
    ['90071992547409.91', -9_007_199_254_740_991],
  ])('%s leaves %d cents', async (text, cents) => {
    expect((await readContent(qif(`D2024-01-31\nT${text}`))).rows).toMatchObject([{ amountCents: cents }]);
  });

  test('are in U where T is missing', async () => {
    const { rows } = await readContent(qif('D2024-01-31\nU-2.00', 'D2024-01-31\nU-3.00\nT-2.00'));

    expect(rows.map(({ amountCents }) => amountCents)).toEqual([200, 200]);
  });

  test('may count the other way round', async () => {
    expect((await readContent(qif(PLAIN), { sign: 'outflow-positive' })).rows).toMatchObject([
      { amountCents: -150 },
    ]);
  });

  test('that may be read two ways are refused, unless the mark is given', async () => {
    const content = qif('D2024-01-31\nT1,234');

    expect((await refusalOf(content)).hint).toContain('--decimal');
    expect((await refusalOf(qif('D2024-01-31\nT1.50', 'D2024-01-31\nT1,50'))).message).toMatch(
      /some a decimal point/,
    );
    expect((await readContent(content, { decimal: ',' })).rows).toMatchObject([{ amountCents: -123 }]);
  });

  test.each(['', 'x', '1e5', '90071992547409.92'])('%j is a problem of its line', async (text) => {
    const { rows, problems } = await readContent(qif(PLAIN, `D2024-01-31\nT${text}`));

    expect(rows).toHaveLength(1);
    expect(problems).toMatchObject([{ line: 7 }]);
  });

  test('with too many digits are rounded with a notice', async () => {
    const { rows, notices } = await readContent(qif('D2024-01-31\nT-1.505'), { decimal: '.' });

    expect(rows).toMatchObject([{ amountCents: 151 }]);
    expect(notices).toMatchObject([{ line: 2, message: 'the amount was rounded to the digits of USD' }]);
  });
});

describe('names, notes and categories', () => {
  test.each<[string, object]>([
    ['PShop\nMbread', { name: 'Shop', notes: 'bread' }],
    ['Mbread', { name: 'bread', notes: null }],
    ['Mbread\nN12', { name: 'bread', notes: 'Check 12' }],
    ['N12', { name: 'Check 12', notes: null }],
    ['', { name: '(no description)', notes: null, category: null, tags: [] }],
    ['LFood', { name: 'Food', category: 'Food' }],
    ['LFood:Bread/Trip', { category: 'Food:Bread', tags: ['Trip'] }],
    ['L/Trip', { category: null, tags: ['Trip'] }],
    ['PShop\nL[Savings]/Trip', { category: null, tags: ['Trip'], notes: 'Transfer: Savings' }],
    ['PShop\nL--Split--\nSFood\n$1', { category: null, notes: 'Split: Food 1' }],
    [
      'PShop\nLFood\nS[Savings]\nEfor later\n$1\nS\n$2',
      { notes: 'Split: [Savings] 1 (for later); no category 2' },
    ],
    ['  PShop  ', { name: 'Shop' }],
    ['PCafé 😀', { name: 'Café 😀' }],
  ])('%j', async (fields, row) => {
    expect((await readContent(qif(`D2024-01-31\nT-1.50\n${fields}`))).rows).toMatchObject([row]);
  });
});

describe('sloppy files', () => {
  test.each([
    ['CRLF', qif(PLAIN).replaceAll('\n', '\r\n')],
    ['blank lines', qif(PLAIN).replaceAll('\n', '\n\n')],
    ['no line end at the end', qif(PLAIN).trimEnd()],
    ['lower case', qif(PLAIN).replace('!Type:Bank', '!type:bank')],
    ['a byte order mark', `\ufeff${qif(PLAIN)}`],
    ['a type before each record', `${qif(PLAIN)}!Type:Cash\n`],
    ['letters nobody knows', qif(`${PLAIN}\nZ1\nX2`)],
  ])('%s', async (_, content) => {
    expect(await readContent(content)).toMatchObject({
      problems: [],
      rows: [{ amountCents: 150, name: 'Shop' }],
    });
  });

  test('a record without its end is a problem: it may be cut off', async () => {
    const { rows, problems } = await readContent(`${qif(PLAIN)}D2024-01-31\nT-1`);

    expect(rows).toHaveLength(1);
    expect(problems).toEqual([{ line: 6, message: 'the record does not end with ^: it may be cut off' }]);
  });

  test('an encoding may be given', async () => {
    const read = await readContent(Buffer.from(qif('D2024-01-31\nT1\nP\u00a4'), 'latin1'), {
      encoding: 'iso-8859-15',
    });

    expect(read.rows[0]?.name).toBe('€');
  });

  test.each([
    [
      'an endless line',
      `!Type:Bank\nP${'x'.repeat(10_000_000)}`,
      /^f:2: a line of more than 65536 characters begins/,
    ],
    [
      'an endless record',
      `!Type:Bank\n${'A\n'.repeat(1_000_000)}`,
      /^f:2: a record of more than 262144 characters/,
    ],
    ['a NUL', qif(PLAIN, 'D\0'), /^f:1: is a binary file/],
  ])('%s is refused', async (_, content, message) => {
    expect((await refusalOf(content)).message).toMatch(message);
  });
});

test('reads back what is written, in any style', async () => {
  const row = fc.record({
    date: fc.date({ min: new Date('1970-01-01'), max: new Date('2068-12-31'), noInvalidDate: true }),
    cents: fc.integer({ min: -(10 ** 12), max: 10 ** 12 }),
    name: fc.stringMatching(/^[A-Za-z^!&é€ß😀]{1,20}$/u),
    memo: fc.stringMatching(/^[A-Za-z^!&é€ß😀]{1,20}$/u),
  });
  const styles = {
    quicken: (y: string, m: string, d: string) =>
      `${Number(m)}/${d.replace(/^0/, ' ')}${y < '2000' ? '/' : "'"}${y.slice(2).replace(/^0/, ' ')}`,
    german: (y: string, m: string, d: string) => `${d}.${m}.${y}`,
    iso: (y: string, m: string, d: string) => `${y}-${m}-${d}`,
  };

  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 20 }),
      fc.constantFrom('quicken', 'german', 'iso'),
      async (rows, style) => {
        const wanted = rows.map(({ date, cents, ...texts }) => ({
          ...texts,
          date: date.toISOString().slice(0, 10),
          cents,
        }));
        const records = wanted.map(({ date, cents, name, memo }) => {
          const [y = '', m = '', d = ''] = date.split('-');
          const number = new Intl.NumberFormat(style === 'german' ? 'de' : 'en', {
            minimumFractionDigits: 2,
          }).format(cents / 100);
          return `D${styles[style](y, m, d)}\nT${number}\nP${name}\nM${memo}`;
        });
        const dateFormat = { quicken: 'MM/DD/YY', german: undefined, iso: undefined }[style];

        const read = await readContent(qif(...records), { dateFormat });

        expect(read.problems).toEqual([]);
        expect(
          read.rows.map(({ date, amountCents, name, notes }) => [date, amountCents, name, notes]),
        ).toEqual(wanted.map(({ date, cents, name, memo }) => [date, 0 - cents, name, memo]));
      },
    ),
    { numRuns: 50 },
  );
});

test('never fails otherwise than by refusing', async () => {
  const line = fc.constantFrom(
    '!Type:Bank',
    '!Account',
    '!Type:Invst',
    '!',
    '^',
    'D1/2/3',
    "D1'1'1",
    'T',
    'T1,',
    'S',
    '$1',
    'L[',
    'L[]/',
    'NX',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(line, fc.string()), { maxLength: 30 }), async (lines) => {
      const content = `!Type:Bank\n${lines.join('\n')}`.replaceAll('\0', '');
      await readContent(content).catch((error: unknown) => {
        expect(error).toMatchObject({
          code: 'validation_failed',
          message: expect.stringMatching(/^f:\d+: /),
        });
      });
    }),
  );
});
