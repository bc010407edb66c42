import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OfxTokenizer } from '#src/imports/readers/ofx/ofx-tokenizer.ts';
import { readContent, readFixture, refusalOf } from '#test/imports/read-statement.ts';

const HEADER = 'OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nENCODING:USASCII\nCHARSET:1252\n\n';
const BEFORE =
  '<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD<BANKACCTFROM><ACCTID>1</BANKACCTFROM><BANKTRANLIST>';
const AFTER = '</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>';

function ofx(transactions: string): string {
  return `${HEADER}${BEFORE}\n${transactions}\n${AFTER}`;
}

function transaction(values: string): string {
  return ofx(`<STMTTRN>${values}</STMTTRN>`);
}

const PLAIN = '<TRNTYPE>DEBIT<DTPOSTED>20240131<TRNAMT>-1.50<FITID>f1<NAME>Shop';

test('reads a transaction', async () => {
  const read = await readContent(transaction(`${PLAIN}<MEMO>two  rolls`));

  expect(read).toMatchObject({ format: 'ofx', detected: { version: '102' }, problems: [], notices: [] });
  expect(read.rows).toEqual([
    {
      line: 8,
      date: '2024-01-31',
      amountCents: 150,
      currency: 'USD',
      name: 'Shop',
      notes: 'two rolls',
      externalId: 'f1',
      category: null,
      merchant: null,
      tags: [],
      accountHint: '1',
    },
  ]);
});

describe('reads the same from every sloppy form', () => {
  const forms: [string, string][] = [
    ['one line, header included', transaction(PLAIN).replaceAll('\n', '')],
    ['CRLF', transaction(PLAIN).replaceAll('\n', '\r\n').replaceAll('<', '\r\n<')],
    ['blank lines', transaction(PLAIN).replaceAll('<', '\n\n   <')],
    ['no header', transaction(PLAIN).slice(HEADER.length)],
    ['closing tags', transaction(PLAIN.replace(/<(\w+)>([^<]*)/g, '<$1>$2</$1>'))],
    ['lower case', transaction(PLAIN.replace(/<\w+>/g, (tag) => tag.toLowerCase()))],
    ['comments', transaction(PLAIN.replaceAll('<', ' <!-- a > b <i> --> <'))],
    ['no </STMTTRN>', ofx(`<STMTTRN>${PLAIN}`)],
    ['attributes', transaction(PLAIN).replace('<OFX>', '<OFX xmlns="x">')],
    [
      'other aggregates with the same names',
      transaction(`${PLAIN}<BANKACCTTO><ACCTID>9<NAME>Other</BANKACCTTO>`),
    ],
  ];

  test.each(forms)('%s', async (_, content) => {
    const read = await readContent(content);

    expect(read.problems).toEqual([]);
    expect(read.rows).toMatchObject([
      { date: '2024-01-31', amountCents: 150, name: 'Shop', externalId: 'f1', accountHint: '1' },
    ]);
  });
});

describe('dates', () => {
  test.each([
    ['20201201120000.000[-8:PST]', '2020-12-01'],
    ['20201231235959[+14]', '2020-12-31'],
    ['20210102', '2021-01-02'],
    ['199610291010', '1996-10-29'],
    ['2024-02-29', '2024-02-29'],
  ])('%s is %s, as written', async (text, date) => {
    expect((await readContent(transaction(PLAIN.replace('20240131', text)))).rows[0]?.date).toBe(date);
  });

  test.each(['20230229', '00000000', '2024013', '', 'today', '20241301'])('%j is a problem', async (text) => {
    const { rows, problems } = await readContent(transaction(PLAIN.replace('20240131', text)));

    expect(rows).toEqual([]);
    expect(problems).toEqual([{ line: 8, message: expect.stringContaining('DTPOSTED') }]);
  });
});

describe('amounts', () => {
  test.each([
    ['-1.50', 150],
    ['1.50', -150],
    ['+1.50', -150],
    ['1,50', -150],
    ['-1234,56', 123_456],
    ['1,234.56', -123_456],
    ['1.234,56', -123_456],
    ['1,234,567', -123_456_700],
    ['7', -700],
    ['0', 0],
    ['-0.00', 0],
  ])('%s leaves %d cents', async (text, cents) => {
    const { rows } = await readContent(transaction(PLAIN.replace('-1.50', text)));

    expect(rows[0]?.amountCents).toBe(cents);
  });

  test('with too many digits are rounded with a notice', async () => {
    const { rows, notices } = await readContent(transaction(PLAIN.replace('-1.50', '-995.4190396554627')));

    expect(rows[0]?.amountCents).toBe(99_542);
    expect(notices).toEqual([{ line: 8, message: expect.stringContaining('-995.4190396554627') }]);
  });

  test.each(['', 'x', '1e5', '9'.repeat(30)])('%j is a problem', async (text) => {
    const { rows, problems } = await readContent(transaction(PLAIN.replace('-1.50', text)));

    expect({ rows: rows.length, problems: problems.length }).toEqual({ rows: 0, problems: 1 });
  });
});

describe('names and notes', () => {
  test.each([
    ['<NAME>Shop<MEMO>m', 'Shop', 'm'],
    ['<PAYEE><NAME>Shop<CITY>x</PAYEE><MEMO>m', 'Shop', 'm'],
    ['<MEMO>m', 'm', null],
    ['<CHECKNUM>12', 'CHECK 12', null],
    ['<NAME>Shop<CHECKNUM>12', 'Shop', 'Check 12'],
    ['<MEMO>m<CHECKNUM>12', 'm', 'Check 12'],
    ['', 'DEBIT', null],
    [
      '<NAME>A & B &amp; C &lt;D&gt;&nbsp;&#69; &#x46; &unknown; &#0;&#xD800;',
      'A & B & C <D> E F &unknown;',
      null,
    ],
    ['<NAME>1 < 2 <b and > c', '1 < 2', null],
    ['<NAME>a <b and<MEMO>m', 'a <b and', 'm'],
    ['<NAME>a\u0007b\u202ec\n  d', 'a bc d', null],
    [`<NAME>${'é'.repeat(600)}`, 'é'.repeat(500), null],
    ['<NAME>x<ORIGCURRENCY><CURRATE>1.1<CURSYM>EUR</ORIGCURRENCY>', 'x', 'Converted from EUR at 1.1'],
  ])('%s', async (values, name, notes) => {
    const base = '<TRNTYPE>DEBIT<DTPOSTED>20240131<TRNAMT>-1<FITID>1';

    const { rows } = await readContent(transaction(base + values));

    expect(rows).toMatchObject([{ name, notes }]);
  });
});

test('a transaction without a date or an amount is a problem with its line', async () => {
  const content = ofx(
    '<STMTTRN><TRNAMT>-1</STMTTRN>\n<STMTTRN><DTPOSTED>20240131</STMTTRN>\n<STMTTRN></STMTTRN>',
  );

  const { rows, problems } = await readContent(content);

  expect(rows).toEqual([]);
  expect(problems).toEqual(
    [
      { line: 8, message: 'STMTTRN has no TRNAMT' },
      { line: 9, message: 'STMTTRN has no TRNAMT' },
      { line: 10, message: 'STMTTRN has no TRNAMT' },
    ].map((problem, i) => (i === 0 ? { ...problem, message: 'STMTTRN has no DTPOSTED' } : problem)),
  );
});

test('a correction and an unconverted foreign amount are problems', async () => {
  const correction = `<STMTTRN>${PLAIN}<CORRECTFITID>f0<CORRECTACTION>DELETE</STMTTRN>`;
  const foreign = `<STMTTRN>${PLAIN}<CURRENCY><CURRATE>1.1<CURSYM>EUR</CURRENCY></STMTTRN>`;

  const { rows, problems } = await readContent(ofx(`${correction}\n${foreign}`));

  expect(rows).toEqual([]);
  expect(problems).toEqual([
    { line: 8, message: expect.stringContaining('corrects transaction f0 (DELETE)') },
    { line: 9, message: 'is in EUR, not in USD' },
  ]);
});

test('reads OFX 2 with CDATA, numeric entities and a declared encoding', async () => {
  const { rows, problems, detected } = await readFixture('ofx2.xml', { currency: 'EUR' });

  expect(detected).toEqual({ encoding: 'utf-8', version: '211' });
  expect(problems).toEqual([{ line: 22, message: 'is in USD, not in EUR' }]);
  expect(rows).toMatchObject([
    {
      date: '2024-01-31',
      amountCents: 123_456,
      name: 'Café "Zoé" & Co',
      notes: '1 < 2 &amp; 3\nCheck 77\nConverted from USD at 1.08',
      accountHint: 'NL01',
    },
  ]);
});

test.each([
  ['CHARSET:1252', 'windows-1252', Buffer.from(transaction(PLAIN.replace('Shop', 'Café')), 'latin1')],
  ['CHARSET:1252, but UTF-8', 'utf-8', Buffer.from(transaction(PLAIN.replace('Shop', 'Café')))],
  [
    'CHARSET:NONE',
    'windows-1252',
    Buffer.from(transaction(PLAIN.replace('Shop', 'Café')).replace('1252', 'NONE'), 'latin1'),
  ],
])('decodes %s', async (_, encoding, content) => {
  const read = await readContent(content);

  expect(read.detected.encoding).toBe(encoding);
  expect(read.rows[0]?.name).toBe('Café');
});

test('CHARSET:1251 is Cyrillic, header on one line or not', async () => {
  const bytes = Buffer.from(
    transaction(PLAIN.replace('Shop', '\u00c4\u00e0')).replace('1252', '1251'),
    'latin1',
  );
  const oneLine = Buffer.from(bytes.toString('latin1').replaceAll('\n', ''), 'latin1');

  for (const content of [bytes, oneLine]) expect((await readContent(content)).rows[0]?.name).toBe('Да');
});

describe('several accounts in one file', () => {
  test('are refused, and listed', async () => {
    await expect(readFixture('two-accounts.ofx')).rejects.toMatchObject({
      code: 'validation_failed',
      message: 'f:1: holds 2 accounts: "CHK-1", "CARD-2"',
      details: { accounts: ['CHK-1', 'CARD-2'] },
    });
  });

  test.each([
    ['CHK-1', 'a1', 1000],
    ['CARD-2', 'b1', -9950],
  ])('%s is read when chosen', async (account, externalId, amountCents) => {
    expect((await readFixture('two-accounts.ofx', { account })).rows).toMatchObject([
      { externalId, amountCents },
    ]);
  });

  test('in two currencies are listed, not mistaken for a wrong currency', async () => {
    const euros = transaction(PLAIN).replace('<ACCTID>1', '<ACCTID>2').replace('USD', 'EUR');

    const refusal = await refusalOf(
      `${transaction(PLAIN).replace('</OFX>', '')}${euros.slice(HEADER.length + 5)}`,
    );

    expect(refusal.message).toBe('f:1: holds 2 accounts: "1", "2"');
  });

  test('an account that is not there is refused', async () => {
    await expect(readFixture('two-accounts.ofx', { account: 'X' })).rejects.toThrow(
      /nothing of account "X"; it holds "CHK-1"/,
    );
  });

  test('two statements of one account are one', async () => {
    const content = transaction(PLAIN).replace(
      '</STMTTRNRS>',
      `</STMTTRNRS>${transaction(PLAIN).slice(HEADER.length + 19, -22)}`,
    );

    expect((await readContent(content)).rows).toHaveLength(2);
  });
});

describe('refuses the whole file', () => {
  const two = `<STMTTRN>${PLAIN}</STMTTRN>\n<STMTTRN>${PLAIN}</STMTTRN>`;

  test.each([
    ['cut off anywhere', ofx(two).slice(0, -60), /^f:9: ends before <\/OFX>/],
    ['cut off before the last tag', ofx(two).slice(0, -6), /ends before <\/OFX>/],
    [
      'an open list',
      ofx(two).replace('</BANKTRANLIST>', ''),
      /^f:10: has a BANKTRANLIST, begun on line 7, that is not/,
    ],
    [
      'no statement',
      `${HEADER}<OFX><SIGNONMSGSRSV1></SIGNONMSGSRSV1></OFX>`,
      /holds no bank or credit card statement/,
    ],
    [
      'an investment statement',
      `${HEADER}<OFX>\n<INVSTMTRS></INVSTMTRS></OFX>`,
      /^f:8: holds an investment statement/,
    ],
    [
      'a DOCTYPE',
      `<?xml version="1.0"?>\n<!DOCTYPE OFX [<!ENTITY a "b">]>\n${transaction(PLAIN)}`,
      /^f:2: has a document type/,
    ],
    [
      'another currency',
      transaction(PLAIN).replace('USD', 'EUR'),
      /^f:8: the statement is in EUR, the account in USD/,
    ],
    ['an endless element', transaction(`<NAME>${'x'.repeat(300_000)}`), /holds more than 65536 characters/],
    ['an endless comment', transaction(`<!-- ${'x'.repeat(300_000)}`), /holds more than 65536 characters/],
  ])('for %s', async (_, content, message) => {
    const refusal = await refusalOf(content);

    expect(refusal.message).toMatch(message);
    expect(refusal.hint).toBeTruthy();
  });

  test('wherever it is cut off', async () => {
    const whole = ofx(two);
    for (let length = HEADER.length + 6; length < whole.length; length += 7) {
      expect((await refusalOf(whole.slice(0, length))).message).toMatch(/^f:\d+: /);
    }
  });
});

function eventsOf(pieces: string[]): unknown[] {
  const events: unknown[] = [];
  const tokenizer = new OfxTokenizer('f', {
    open: (...event) => events.push(['open', ...event]),
    close: (...event) => events.push(['close', ...event]),
    value: (...event) => events.push(['value', ...event]),
  });
  for (const piece of pieces) tokenizer.write(piece);
  return [...events, tokenizer.end()];
}

test('the tokenizer does not care how the text comes in pieces', () => {
  const text = '<A>1 < 2<!-- c --><B>x &amp; y</B>\n<![CDATA[ignored]]><C>p<![CDATA[<q>&]]>r</C><D/>\n</A>';
  const whole = eventsOf([text]);

  expect(whole).toContainEqual(['value', 'A', '1 < 2']);
  expect(whole).toContainEqual(['value', 'C', 'p<q>&r']);
  expect(whole).toContainEqual(['close', 'D', 2]);
  fc.assert(
    fc.property(fc.array(fc.nat(text.length)), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), text.length];
      const pieces = at.slice(1).map((end, i) => text.slice(at[i], end));

      expect(eventsOf(pieces)).toEqual(whole);
    }),
  );
});

test('never fails otherwise than by refusing', async () => {
  const tags = fc.constantFrom(
    '<OFX>',
    '</OFX>',
    '<STMTRS>',
    '</STMTRS>',
    '<STMTTRN>',
    '</STMTTRN>',
    '<TRNAMT>-1',
    '<!--',
    '-->',
    '<',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(tags, fc.string()), { maxLength: 30 }), async (parts) => {
      const content = `<OFX>${parts.join('')}`.replaceAll('\0', '');
      await readContent(content).catch((error: unknown) => {
        expect(error).toMatchObject({
          code: 'validation_failed',
          message: expect.stringMatching(/^f:\d+: /),
        });
      });
    }),
  );
});
