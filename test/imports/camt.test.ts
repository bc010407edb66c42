import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accountFilter } from '#src/imports/readers/account-filter.ts';
import { CamtReader } from '#src/imports/readers/camt/camt-reader.ts';
import type { StatementBatch } from '#src/imports/readers/statement.ts';
import { AppError } from '#src/kernel/errors.ts';
import { camt, entry } from '#test/imports/camt-text.ts';
import { readContent, readFixture, refusalOf } from '#test/imports/read-statement.ts';

const transactions = (first: string, second: string) =>
  [first, second].map((each) => `<TxDtls>${each}</TxDtls>`).join('');
const ofAmount = (amount: string, unit = 'USD') =>
  `<AmtDtls><TxAmt><Amt Ccy="${unit}">${amount}</Amt></TxAmt></AmtDtls>`;
const declaring = (encoding: string) =>
  camt(entry({}, '<TxDtls><RltdPties><Cdtr><Nm>Café</Nm></Cdtr></RltdPties></TxDtls>')).replace(
    'UTF-8',
    encoding,
  );
const numbered = (count: number, text: string) =>
  Array.from({ length: count }, (_, i) => text.replace('#', String(i))).join(' ');
const cut = (text: string, at: readonly number[]) => {
  const ends = [...at.toSorted((a, b) => a - b), text.length];
  return ends.map((end, i) => text.slice(ends[i - 1] ?? 0, end));
};
const escaped = (each: string) =>
  each.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&#62;');

/** What comes of a file in these pieces, or why it is refused. */
function readPieces(pieces: readonly string[]): StatementBatch | string {
  const reader = new CamtReader({ label: 'f', currency: 'USD', filter: accountFilter('f', undefined) });
  try {
    for (const piece of pieces) reader.write(piece);
    reader.finish();
    return reader.takeBatch();
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

test('reads what a bank writes', async () => {
  const { format, detected, rows, problems, notices } = await readFixture('german-bank.camt.xml', {
    currency: 'EUR',
  });

  expect({ format, detected, problems }).toEqual({
    format: 'camt053',
    detected: { encoding: 'utf-8', version: 'camt.053.001.02' },
    problems: [],
  });
  expect(rows).toEqual([
    {
      line: 16,
      date: '2026-01-05',
      amountCents: 1250,
      currency: 'EUR',
      name: 'Bäckerei Müller & Söhne',
      notes: 'Rechnung 77\nvielen Dank\nSEPA-LASTSCHRIFT\nEnd-to-end id INV-77\nValue date 2026-01-06',
      externalId: '2026010512345',
      category: null,
      merchant: null,
      tags: [],
      accountHint: 'DE89370400440532013000',
    },
    expect.objectContaining({
      line: 44,
      date: '2026-01-30',
      amountCents: -250_000,
      name: 'GEHALT',
      notes: null,
      externalId: null,
    }),
  ]);
  expect(notices).toEqual([{ line: 38, message: 'an entry that is not booked yet was left out' }]);
});

describe('a batch', () => {
  const choice = { currency: 'CHF', account: 'ch93 0076 2011 6238 5295 7' };

  test('of amounts that make up the total becomes its transactions', async () => {
    const { rows, problems } = await readFixture('swiss-bank.camt.xml', choice);

    expect(problems).toEqual([]);
    expect(rows).toMatchObject([
      { amountCents: -1050, name: 'Ann', notes: 'Reference 210000000003139471430009017', externalId: 'TX-1' },
      { amountCents: -2000, name: 'Some Bank', notes: null, externalId: 'BATCH-1/2' },
      { amountCents: 50, name: 'Fee desk', notes: null, externalId: 'BATCH-1/3' },
    ]);
  });

  test('has its amounts below AmtDtls in old versions', async () => {
    const { rows } = await readContent(camt(entry({}, transactions(ofAmount('1.00'), ofAmount('0.50')))));

    expect(rows.map(({ amountCents, externalId }) => [amountCents, externalId])).toEqual([
      [100, 'r1/1'],
      [50, 'r1/2'],
    ]);
  });

  test.each([
    ['an amount is missing', transactions(ofAmount('1.50'), '')],
    ['an amount is in another currency', transactions(ofAmount('1.00'), ofAmount('0.50', 'EUR'))],
    ['the sum is another', transactions(ofAmount('1.00'), ofAmount('0.49'))],
    ['an amount is broken', transactions(ofAmount('1.00'), ofAmount('0,50'))],
  ])('stays one row when %s', async (_, inside) => {
    const { rows, problems } = await readContent(camt(entry({}, inside)));

    expect(problems).toEqual([]);
    expect(rows).toMatchObject([{ amountCents: 150, externalId: 'r1', name: 'Batch of 2 transactions' }]);
  });

  test('of more than an entry may hold is refused', async () => {
    const refusal = await refusalOf(camt(entry({}, '<TxDtls><Refs/></TxDtls>\n'.repeat(170_000))));

    expect(refusal.message).toMatch(/^f:\d+: has an entry of more than 8000000 characters/);
  });
});

describe('several statements in one file', () => {
  test('are refused, and listed', async () => {
    await expect(readFixture('swiss-bank.camt.xml', { currency: 'CHF' })).rejects.toThrow(
      'f:1: holds 2 accounts: "CH9300762011623852957", "SAVINGS 2"',
    );
  });

  test('are chosen by any number of the account', async () => {
    const { rows } = await readFixture('swiss-bank.camt.xml', { currency: 'EUR', account: 'SAVINGS 2' });

    expect(rows).toMatchObject([{ amountCents: 700, accountHint: 'SAVINGS 2', name: '(no description)' }]);
  });

  test('an account that is not there is refused', async () => {
    await expect(readFixture('swiss-bank.camt.xml', { currency: 'EUR', account: 'X' })).rejects.toThrow(
      /has nothing of account "X"/,
    );
  });
});

describe('versions', () => {
  test.each(['02', '04', '06', '08', '12', '13'])('%s is read', async (version) => {
    expect((await readContent(camt(entry(), { version }))).rows).toHaveLength(1);
  });

  test.each(['01', '14'])('%s is refused', async (version) => {
    expect((await refusalOf(camt(entry(), { version }))).message).toMatch(
      /^f:2: begins with <Document> in the namespace ".*", not as camt.053.001.02 to .13/,
    );
  });

  test('names may have a prefix', async () => {
    const prefixed = camt(entry())
      .replace(/<(\/?)(?=\w)/g, '<$1c:')
      .replace('xmlns=', 'xmlns:c=');

    expect((await readContent(prefixed)).rows).toMatchObject([{ amountCents: 150, externalId: 'r1' }]);
  });

  test('elements of other namespaces are passed over', async () => {
    const foreign = '<x:Amt xmlns:x="urn:other" Ccy="EUR">9</x:Amt><Sts xmlns="urn:other">PDNG</Sts>';

    const { rows } = await readContent(camt(entry().replace('<Ntry>', `<Ntry>${foreign}`).repeat(50)));

    expect(rows).toHaveLength(50);
    expect(rows).toMatchObject(Array.from({ length: 50 }, () => ({ amountCents: 150 })));
  });
});

describe('amounts', () => {
  test.each([
    ['1.50', 150],
    ['1.5', 150],
    ['+7', 700],
    ['.05', 5],
    ['5.', 500],
    ['0', 0],
    ['1.50000', 150],
    ['9007199254740.99', 900_719_925_474_099],
  ])('%s leaves %d cents', async (text, cents) => {
    const amount = `<Amt Ccy="USD">${text}</Amt>`;
    const credit = entry({ Amt: amount, CdtDbtInd: '<CdtDbtInd>CRDT</CdtDbtInd>' });

    expect((await readContent(camt(entry({ Amt: amount })))).rows[0]?.amountCents).toBe(cents);
    expect((await readContent(camt(credit))).rows[0]?.amountCents).toBe(0 - cents);
  });

  test('follow the digits of the currency', async () => {
    const dinars = camt(entry({ Amt: '<Amt Ccy="KWD">1.2345</Amt>' })).replace('<Ccy>USD', '<Ccy>KWD');

    const { rows, notices } = await readContent(dinars, { currency: 'KWD' });

    expect(rows[0]?.amountCents).toBe(1235);
    expect(notices).toEqual([{ line: 3, column: 1, message: 'Amt 1.2345 was rounded to KWD' }]);
  });

  test.each([
    ['-1.50', /is not an amount/],
    ['1,50', /is not an amount/],
    ['1 000', /is not an amount/],
    ['1e5', /is not an amount/],
    ['90071992547410.00', /^amount .* is too large$|too large/],
    ['', /has no Amt/],
  ])('%j is a problem', async (text, message) => {
    const { rows, problems } = await readContent(camt(entry({ Amt: `<Amt Ccy="USD">${text}</Amt>` })));

    expect(rows).toEqual([]);
    expect(problems).toEqual([{ line: 3, column: 1, message: expect.stringMatching(message) }]);
  });

  test('in another currency, or none, are problems', async () => {
    const entries = [entry({ Amt: '<Amt Ccy="SEK">1</Amt>' }), entry({ Amt: '<Amt>1</Amt>' })];

    const { problems } = await readContent(camt(entries.join('')));

    expect(problems).toEqual([
      { line: 3, column: 1, message: 'is in SEK, not in USD' },
      { line: 3, column: 1 + (entries[0]?.length ?? 0), message: 'is in no currency, not in USD' },
    ]);
  });
});

test('a problem is found again in a file of one long line', async () => {
  const before = entry().repeat(2_000);
  const bad = entry({ Amt: '' });

  const { rows, problems } = await readContent(camt(`${before}${bad}`).replaceAll('\n', ''));

  const head = camt('').indexOf('\n</Stmt>') - 2;
  expect(rows).toHaveLength(2_000);
  expect(problems).toEqual([{ line: 1, column: head + before.length + 1, message: 'the entry has no Amt' }]);
});

test('a problem has the line of its tag, also when that goes over several', async () => {
  const { problems } = await readContent(camt(entry({ Amt: '' }).replace('<Ntry>', '<Ntry\n\n>')));

  expect(problems).toMatchObject([{ line: 3 }]);
});

describe('dates', () => {
  test.each([
    ['<BookgDt><Dt>2024-02-29</Dt></BookgDt>', '2024-02-29'],
    ['<BookgDt><Dt>2024-02-29+02:00</Dt></BookgDt>', '2024-02-29'],
    ['<BookgDt><DtTm>2024-02-29T23:59:59.999-11:00</DtTm></BookgDt>', '2024-02-29'],
    ['<ValDt><Dt>2024-02-29</Dt></ValDt>', '2024-02-29'],
    ['<BookgDt><Dt>1900-01-01</Dt></BookgDt>', '1900-01-01'],
    ['<BookgDt><Dt>2199-12-31</Dt></BookgDt>', '2199-12-31'],
  ])('%s is %s, as written', async (BookgDt, date) => {
    expect((await readContent(camt(entry({ BookgDt })))).rows).toMatchObject([{ date }]);
  });

  test.each([
    ['<BookgDt><Dt>2023-02-29</Dt></BookgDt>', /BookgDt "2023-02-29" is not a real date/],
    ['<BookgDt><Dt>1899-12-31</Dt></BookgDt>', /not a real date/],
    ['<BookgDt><Dt>2200-01-01</Dt></BookgDt>', /not a real date/],
    ['<BookgDt><Dt>20240131</Dt></BookgDt>', /not a real date/],
    ['', /neither BookgDt nor ValDt/],
  ])('%j is a problem', async (BookgDt, message) => {
    const { rows, problems } = await readContent(camt(entry({ BookgDt })));

    expect(rows).toEqual([]);
    expect(problems).toEqual([{ line: 3, column: 1, message: expect.stringMatching(message) }]);
  });
});

describe('status', () => {
  test.each(['<Sts>BOOK</Sts>', '<Sts><Cd>BOOK</Cd></Sts>', ''])('%j is booked', async (Sts) => {
    expect((await readContent(camt(entry({ Sts })))).rows).toHaveLength(1);
  });

  test('of entries not booked leaves them out, with their number', async () => {
    const unbooked = [
      '<Sts>PDNG</Sts>',
      '<Sts><Cd>PDNG</Cd></Sts>',
      '<Sts>INFO</Sts>',
      '<Sts><Cd>FUTR</Cd></Sts>',
    ];

    const { rows, problems, notices } = await readContent(
      camt([entry(), ...unbooked.map((Sts) => entry({ Sts }))].join('\n')),
    );

    expect({ rows: rows.length, problems }).toEqual({ rows: 1, problems: [] });
    expect(notices).toEqual([
      { line: 4, message: '4 entries that are not booked yet were left out; this is the first' },
    ]);
  });

  test('that nobody knows is a problem', async () => {
    const { problems } = await readContent(camt(entry({ Sts: '<Sts><Prtry>X</Prtry></Sts>' })));

    expect(problems).toMatchObject([{ message: 'status "X" is not known' }]);
  });
});

describe('names and notes', () => {
  const parties = '<RltdPties><Dbtr><Nm>Payer</Nm></Dbtr><Cdtr><Nm>Payee</Nm></Cdtr></RltdPties>';
  const credit = '<CdtDbtInd>CRDT</CdtDbtInd>';
  const reversal = '<RvslInd>true</RvslInd>';

  test.each<[string, Record<string, string>, string, string, string | null]>([
    ['money out: the creditor', {}, parties, 'Payee', null],
    ['money in: the debtor', { CdtDbtInd: credit }, parties, 'Payer', null],
    ['what came back', { CdtDbtInd: credit, RvslInd: reversal }, parties, 'Payee', 'Reversal'],
    ['what was taken back', { RvslInd: reversal }, parties, 'Payer', 'Reversal'],
    ['a party inside Pty', {}, '<RltdPties><Cdtr><Pty><Nm>P</Nm></Pty></Cdtr></RltdPties>', 'P', null],
    ['the last payee', {}, '<RltdPties><UltmtCdtr><Nm>U</Nm></UltmtCdtr></RltdPties>', 'U', null],
    [
      'nobody',
      {},
      '<RltdPties><Cdtr><Nm>NOTPROVIDED</Nm></Cdtr></RltdPties><RmtInf><Ustrd>for tea</Ustrd></RmtInf>',
      'for tea',
      null,
    ],
    ['entry text', { AddtlNtryInf: '<AddtlNtryInf>FEE</AddtlNtryInf>' }, '', 'FEE', null],
    ['bank code', { BkTxCd: '<BkTxCd><Prtry><Cd>544</Cd></Prtry></BkTxCd>' }, '', '544', null],
    ['nothing', {}, '', '(no description)', null],
    [
      'structured remittance',
      {},
      `${parties}<RmtInf><Strd><RfrdDocInf><Nb>77</Nb></RfrdDocInf><CdtrRefInf><Ref>RF18</Ref></CdtrRefInf><AddtlRmtInf>tea</AddtlRmtInf></Strd></RmtInf>`,
      'Payee',
      'tea\nDocument 77\nReference RF18',
    ],
    [
      'a conversion',
      {},
      `<AmtDtls><InstdAmt><Amt Ccy="EUR">1.40</Amt><CcyXchg><XchgRate>1.07</XchgRate></CcyXchg></InstdAmt></AmtDtls>${parties}`,
      'Payee',
      'Converted from EUR 1.40 at 1.07',
    ],
    [
      'a return',
      { CdtDbtInd: credit },
      `${parties}<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>`,
      'Payer',
      'Returned: AC04',
    ],
    [
      'texts that repeat',
      { AddtlNtryInf: '<AddtlNtryInf>tea</AddtlNtryInf>' },
      `${parties}<RmtInf><Ustrd>tea</Ustrd></RmtInf><AddtlTxInf>tea</AddtlTxInf>`,
      'Payee',
      'tea',
    ],
    [
      'CDATA, references and comments',
      {},
      '<RltdPties><Cdtr><Nm>A &amp;<![CDATA[<B> &]]> <!-- no --> &#67;&#x44;</Nm></Cdtr></RltdPties>',
      'A &<B> & CD',
      null,
    ],
  ])('%s', async (_, changes, inside, name, notes) => {
    const { rows, problems } = await readContent(
      camt(entry(changes, inside && `<TxDtls>${inside}</TxDtls>`)),
    );

    expect(problems).toEqual([]);
    expect(rows).toMatchObject([{ name, notes }]);
  });
});

describe('references', () => {
  test.each(['NONREF', 'NOTPROVIDED', '0000000', 'n/a', ' '])('%j is none', async (text) => {
    const { rows } = await readContent(camt(entry({ AcctSvcrRef: `<AcctSvcrRef>${text}</AcctSvcrRef>` })));

    expect(rows[0]?.externalId).toBeNull();
  });

  test('of the transaction serve where the entry has none', async () => {
    const inside = '<TxDtls><Refs><AcctSvcrRef>t1</AcctSvcrRef></Refs></TxDtls>';

    const { rows } = await readContent(camt(entry({ AcctSvcrRef: '' }, inside)));

    expect(rows[0]?.externalId).toBe('t1');
  });

  test('shared by a payment and its fee identify the first alone', async () => {
    const fee = entry({ Amt: '<Amt Ccy="USD">0.30</Amt>' });

    const { rows } = await readContent(camt([entry(), fee, entry()].join('\n')));

    expect(rows.map(({ externalId }) => externalId)).toEqual(['r1', null, 'r1']);
  });

  test('NtryRef and EndToEndId are none: others choose them, and use them again', async () => {
    const weak = entry(
      { AcctSvcrRef: '<NtryRef>1</NtryRef>' },
      '<TxDtls><Refs><EndToEndId>RENT</EndToEndId></Refs></TxDtls>',
    );

    const { rows } = await readContent(camt(weak));

    expect(rows).toMatchObject([{ externalId: null, notes: 'End-to-end id RENT' }]);
  });
});

test('an entry without direction, or with an unknown one, is a problem', async () => {
  const entries = [entry({ CdtDbtInd: '' }), entry({ CdtDbtInd: '<CdtDbtInd>X</CdtDbtInd>' })];

  const { rows, problems } = await readContent(camt(entries.join('\n')));

  expect(rows).toEqual([]);
  expect(problems).toMatchObject([
    { line: 3, message: 'the entry has no CdtDbtInd' },
    { line: 4, message: 'CdtDbtInd "X" is neither CRDT nor DBIT' },
  ]);
});

describe('encodings', () => {
  test.each<[string, string, Buffer]>([
    ['UTF-8', 'utf-8', Buffer.from(declaring('UTF-8'))],
    ['ISO-8859-1', 'windows-1252', Buffer.from(declaring('ISO-8859-1'), 'latin1')],
    ['windows-1252', 'windows-1252', Buffer.from(declaring('windows-1252'), 'latin1')],
    ['UTF-16 with a mark', 'utf-16le', Buffer.from(`\ufeff${declaring('UTF-16')}`, 'utf16le')],
    ['UTF-16 without a mark', 'utf-16le', Buffer.from(declaring('UTF-16'), 'utf16le')],
    ['UTF-16 the other way round', 'utf-16be', Buffer.from(declaring('UTF-16'), 'utf16le').swap16()],
    ['UTF-16 that is UTF-8', 'utf-8', Buffer.from(declaring('UTF-16'))],
  ])('%s', async (_, encoding, content) => {
    const read = await readContent(content);

    expect(read.detected.encoding).toBe(encoding);
    expect(read.rows).toMatchObject([{ name: 'Café' }]);
  });
});

describe('refuses the whole file', () => {
  const whole = camt([entry(), entry({ AcctSvcrRef: '' })].join('\n'));
  const bomb = '<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;">]>';
  const deep = '<a>'.repeat(100_000);

  test.each<[string, string, RegExp]>([
    ['cut off', whole.slice(0, -35), /^f:5: ends before <\/Stmt>: it is cut off/],
    ['cut off in an entry', whole.slice(0, -100), /^f:\d: ends before <\/\w+>: it is cut off/],
    ['a DOCTYPE', whole.replace('\n', `\n${bomb}\n`), /^f:2: has a document type or entity declaration/],
    [
      'a DOCTYPE without an end',
      whole.replace('<Doc', '<!DOCTYPE Document [<Doc'),
      /^f:2: has a document type or entity declaration/,
    ],
    [
      'a DOCTYPE cut short',
      whole.replace('<Doc', '<!DOCTYPE Document [<?p?><Doc'),
      /^f:2: has a document type or entity declaration/,
    ],
    [
      'a DOCTYPE inside',
      whole.replace('<Ntry>', '<!DOCTYPE a><Ntry>'),
      /^f:3: is not well-formed inside <Stmt>/,
    ],
    [
      'a declaration',
      whole.replace('<Ntry>', '<!ELEMENT a ANY><Ntry>'),
      /^f:3: has a document type or entity declaration/,
    ],
    ['an entity declaration', whole.replace('<Ntry>', '<!ENTITY a "b"><Ntry>'), /^f:6: ends before <\/Stmt>/],
    ['a bare &', whole.replace('1.50', 'a & b'), /^f:3: has an & that begins no entity/],
    ['no character', whole.replace('1.50', '&#0;'), /^f:3: has an & that begins no entity/],
    ['an unknown entity', whole.replace('1.50', '&lol;'), /^f:3: has an & that begins no entity/],
    ['another root', whole.replaceAll('Document', 'Paper'), /^f:2: begins with <Paper>/],
    [
      'another message inside',
      whole.replaceAll('BkToCstmrStmt', 'BkToCstmrAcctRpt'),
      /^f:6: holds no statement/,
    ],
    ['a second root', `${whole}<Document/>`, /^f:6: has a second root element/],
    ['text after the end', `${whole}rest`, /^f:6: goes on after its last element/],
    ['CDATA after the end', `${whole}<![CDATA[x]]>`, /^f:6: goes on after its last element/],
    ['a comment cut off', `${whole}<!-- x`, /^f:6: goes on after its last element/],
    [
      'CDATA before the beginning',
      whole.replace('<Doc', '<![CDATA[x]]><Doc'),
      /^f:2: is not well-formed outside of its elements/,
    ],
    ['no element', whole.slice(0, whole.indexOf('><BkTo')), /^f:2: holds no XML element/],
    [
      'crossed tags',
      whole.replace('</Amt><CdtDbtInd>', '</CdtDbtInd><Amt>'),
      /^f:3: is not well-formed inside <Amt>, at column 37$/,
    ],
    [
      'a broken tag',
      whole.replace('<Sts>', '<Sts a=1>'),
      /^f:3: is not well-formed inside <Ntry>, at column 66$/,
    ],
    ['a repeated attribute', whole.replace('Ccy="USD"', 'Ccy="USD" Ccy="EUR"'), /not well-formed/],
    ['an unknown prefix', whole.replace('<Sts>', '<x:Sts>'), /not well-formed/],
    ...['constructor', '__proto__'].map((prefix): [string, string, RegExp] => [
      `the prefix ${prefix}`,
      whole.replace('<Document', `<${prefix}:Document`),
      /not well-formed/,
    ]),
    [
      'many attributes',
      whole.replace('<Sts>', `<Sts ${numbered(100, 'a#=""')}>`),
      /^f:3: has a tag of more than 64 attributes/,
    ],
    [
      'endless attributes',
      whole.replace('<Sts>', `<Sts ${numbered(500_000, 'a#=""')}>`),
      /^f:3: an element holds more than 65536/,
    ],
    [
      'many namespaces',
      whole.replace('<Sts>', `<a ${numbered(20, 'xmlns:a#="u"')}><a ${numbered(20, 'xmlns:a#="u"')}>`),
      /^f:3: has more than 32 namespaces/,
    ],
    ['10 MB of a comment', whole.replace('<Sts>', `<!-- ${'x'.repeat(10_000_000)}`), /holds more than 65536/],
    ['10 MB of a name', whole.replace('<Sts>', `<${'x'.repeat(10_000_000)}`), /holds more than 65536/],
    [
      '10 MB of text nobody reads',
      whole.replace('<Sts>', `<a>${'x'.repeat(10_000_000)}</a><Sts>`),
      /holds more than 65536/,
    ],
    [
      '10 MB of one text',
      whole.replace('1.50', 'x'.repeat(10_000_000)),
      /^f:3: an element holds more than 65536/,
    ],
    ['10 MB of CDATA', whole.replace('1.50', `<![CDATA[${'x'.repeat(10_000_000)}`), /holds more than 65536/],
    [
      '10 MB of an attribute',
      whole.replace('<Sts>', `<Sts a="${'>'.repeat(10_000_000)}`),
      /holds more than 65536/,
    ],
    ['many small texts', whole.replace('1.50', 'x<!---->'.repeat(100_000)), /holds more than 65536/],
    ['deep nesting', whole.replace('<Ntry>', deep), /^f:3: has more than 64 elements inside each other/],
    ['a NUL', whole.replace('1.50', '1.5\0'), /^f:1: is a binary file/],
    [
      'another currency',
      whole.replace('<Ccy>USD', '<Ccy>EUR'),
      /^f:3: the statement is in EUR, the account in USD/,
    ],
  ])('for %s', async (_, content, message) => {
    const refusal = await refusalOf(content);

    expect(refusal.message).toMatch(message);
    expect(refusal.hint).toBeTruthy();
  });

  test('wherever it is cut off', async () => {
    for (let length = 160; length < whole.length - 1; length += 11) {
      expect((await refusalOf(whole.slice(0, length))).message, String(length)).toMatch(/^f:\d+: /);
    }
  });
});

describe('the pieces of a file', () => {
  const inside =
    '<TxDtls><RltdPties><Cdtr><Nm>A &amp; <![CDATA[<B>]]><!-- - -->\u00e9\ud83d\ude00</Nm></Cdtr></RltdPties></TxDtls>';
  const whole = camt(['', entry({}, inside), entry({ Amt: '' })].join('\n'));
  const cuts = fc.array(fc.nat(whole.length));

  test('make no difference', () => {
    const read = readPieces([whole]);

    expect(read).toMatchObject({
      rows: [{ line: 4, name: 'A & <B>\u00e9\ud83d\ude00' }],
      problems: [{ line: 5, column: 1 }],
    });
    expect(readPieces(whole.split(''))).toEqual(read);
    fc.assert(
      fc.property(cuts, (at) => {
        expect(readPieces(cut(whole, at))).toEqual(read);
      }),
    );
  });

  test('make no difference to what is wrong', () => {
    const crossed = whole.replace('</Cdtr>', '\n\n</x>');
    const refusal = readPieces([crossed]);

    expect(refusal).toBe('f:6: is not well-formed inside <Cdtr>, at column 4');
    fc.assert(
      fc.property(cuts, (at) => {
        expect(readPieces(cut(crossed, at))).toBe(refusal);
      }),
    );
  });

  test('are read or refused, whatever is in them', () => {
    const damage = fc.constantFrom(
      ...'< > & " \' / = ; # : ] <a> </a> <!-- --> <! <? ?> <![CDATA[ ]]> xmlns="" \0 \ud800'.split(' '),
      '<!DOCTYPE a [',
      '<a ',
      '',
    );
    const changes = fc.array(fc.tuple(fc.nat(whole.length), damage), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(changes, (all) => {
        const damaged = all.reduce(
          (text, [at, what]) => text.slice(0, at) + what + text.slice(at + 1),
          whole,
        );
        const read = readPieces([damaged]);

        if (typeof read === 'string') expect(read).toMatch(/^f:\d+: /);
      }),
      { numRuns: 1000 },
    );
  });
});

test('reads back what is written, in any version', async () => {
  const text = fc.stringMatching(/^[A-Za-z&<>"'é€ß😀]{1,20}$/u);
  const row = fc.record({
    day: fc.integer({ min: 1, max: 28 }),
    cents: fc.integer({ min: 1, max: 10 ** 12 }),
    isOut: fc.boolean(),
    name: text,
    purpose: text,
  });

  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), fc.boolean(), async (wanted, isNew) => {
      const entries = wanted.map(({ day, cents, isOut, name, purpose }, i) => {
        const nm = `<Nm>${escaped(name)}</Nm>`;
        const party = isOut ? 'Cdtr' : 'Dbtr';
        return entry(
          {
            Amt: `<Amt Ccy="USD">${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}</Amt>`,
            CdtDbtInd: `<CdtDbtInd>${isOut ? 'DBIT' : 'CRDT'}</CdtDbtInd>`,
            Sts: isNew ? '<Sts><Cd>BOOK</Cd></Sts>' : '<Sts>BOOK</Sts>',
            BookgDt: `<BookgDt><Dt>2024-01-${String(day).padStart(2, '0')}</Dt></BookgDt>`,
            AcctSvcrRef: `<AcctSvcrRef>ref${i}</AcctSvcrRef>`,
          },
          `<TxDtls><RltdPties><${party}>${isNew ? `<Pty>${nm}</Pty>` : nm}</${party}></RltdPties><RmtInf><Ustrd>${escaped(purpose)}</Ustrd></RmtInf></TxDtls>`,
        );
      });

      const { rows, problems } = await readContent(
        camt(entries.join('\n'), { version: isNew ? '08' : '02' }),
      );

      expect(problems).toEqual([]);
      expect(
        rows.map(({ date, amountCents, name, notes, externalId }) => [
          date,
          amountCents,
          name,
          notes,
          externalId,
        ]),
      ).toEqual(
        wanted.map(({ day, cents, isOut, name, purpose }, i) => [
          `2024-01-${String(day).padStart(2, '0')}`,
          isOut ? cents : -cents,
          name,
          purpose,
          `ref${i}`,
        ]),
      );
    }),
    { numRuns: 50 },
  );
});
