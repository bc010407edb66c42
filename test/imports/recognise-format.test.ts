import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openStatement } from '#src/imports/readers/open-statement.ts';
import { FORMATS, type Format } from '#src/imports/readers/statement.ts';
import { camt, entry } from '#test/imports/camt-text.ts';
import { readContent, refusalOf } from '#test/imports/read-statement.ts';

const CSV = 'Date,Name,Amount\n2024-01-31,Café,-1.50\n';

test.each([
  ['', /^f:1: is empty$/],
  ['%PDF-1.7\n...', /^f:1: is a PDF document$/],
  ['PK\u0003\u0004rest', /ZIP archive or an Excel workbook/],
  [Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), /old Excel workbook/],
  [Buffer.from([0x1f, 0x8b, 8, 0]), /gzip-compressed/],
  [Buffer.from([1, 0, 2, 0]), /binary file/],
  ['<!DOCTYPE html><html>', /an HTML page/],
  [':20:STARTUMS\n:25:1/2\n', /MT940/],
  ['{1:F01BANKDEFF}{2:O940}', /MT940/],
  ['{"rows": []}', /JSON/],
  ['<?xml version="1.0"?><note/>', /XML, but neither OFX nor CAMT\.053/],
])('refuses %j by name', async (content, message) => {
  const refusal = await refusalOf(content);

  expect(refusal).toMatchObject({ code: 'validation_failed' });
  expect(refusal.message).toMatch(message);
  expect(refusal.message).toMatch(/^f:1: /);
  expect(refusal.hint).toContain('CSV, OFX, QFX, QIF and CAMT.053');
});

test.each([
  ['camt.052.001.08', /^f:1: is a CAMT\.052 report of the day, which is not final$/],
  ['camt.054.001.04', /^f:1: is a CAMT\.054 notification of single bookings$/],
  ['pain.001.001.09', /^f:1: is a message pain\.001 of ISO 20022, no statement$/],
])('refuses the message %s by name', async (name, message) => {
  const refusal = await refusalOf(`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${name}"/>`);

  expect(refusal.message).toMatch(message);
  expect(refusal.hint).toContain('CAMT.053');
});

describe('a format that is named', () => {
  const contents: [Format, string][] = [
    ['csv', CSV],
    [
      'ofx',
      '<OFX><STMTRS><CURDEF>USD<BANKTRANLIST><STMTTRN><DTPOSTED>20240131<TRNAMT>-1.50<NAME>Café</BANKTRANLIST></STMTRS></OFX>',
    ],
    ['qif', '!Type:Bank\nD2024-01-31\nT-1.50\nPCafé\n^\n'],
    ['camt053', camt(entry({ AddtlNtryInf: '<AddtlNtryInf>Café</AddtlNtryInf>' }))],
  ];
  const pairs = FORMATS.flatMap((format) => contents.map(([is, content]) => [format, is, content] as const));

  test.each(pairs)('%s, of %s', async (format, is, content) => {
    if (format === is) {
      const read = await readContent(content, { format });
      expect(read).toMatchObject({ format, rows: [{ name: 'Café', amountCents: 150 }] });
    } else {
      const refusal = await refusalOf(content, { format });
      expect(refusal.message).toMatch(/^f:1: is (?:CSV|OFX|QIF|CAMT\.053), not (?:CSV|OFX|QIF|CAMT\.053)$/);
      expect(refusal.hint).toBe(`Leave out the format, or say ${is}.`);
    }
  });
});

test('says how UTF-16 without a byte order mark is read', async () => {
  const { hint } = await refusalOf(Buffer.from(CSV, 'utf16le'));

  expect(hint).toContain('--encoding utf-16le');
});

test('refuses what is not there, and what is no file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'statement-'));

  await expect(openStatement({ file: join(folder, 'none'), currency: 'USD' })).rejects.toThrow(
    /none: there is no such file/,
  );
  await expect(openStatement({ file: folder, currency: 'USD' })).rejects.toThrow(
    /:1: is (?:a directory|not a regular file)/,
  );
});

test('refuses a currency that is none before it looks at the file', async () => {
  await expect(openStatement({ file: '/nowhere', currency: 'usd' })).rejects.toThrow(/ISO 4217/);
});

describe('encodings', () => {
  const utf16be = Buffer.from(`\ufeff${CSV}`, 'utf16le').swap16();

  test.each([
    ['utf-8', Buffer.from(CSV)],
    ['utf-8', Buffer.from(`\ufeff${CSV}`)],
    ['utf-16le', Buffer.from(`\ufeff${CSV}`, 'utf16le')],
    ['utf-16be', utf16be],
    ['windows-1252', Buffer.from(CSV, 'latin1')],
  ])('finds %s', async (encoding, content) => {
    const read = await readContent(content);

    expect(read.detected.encoding).toBe(encoding);
    expect(read.rows).toMatchObject([{ name: 'Café', amountCents: 150, line: 2 }]);
  });

  test('reads a given one', async () => {
    const read = await readContent(Buffer.from(CSV.replace('é', '\u00a4'), 'latin1'), {
      encoding: 'iso-8859-15',
    });

    expect(read.rows[0]?.name).toBe('Caf€');
  });

  test('refuses an unknown one, and bytes it does not have', async () => {
    expect((await refusalOf(CSV, { encoding: 'klingon' })).message).toMatch(
      /encoding "klingon" is not known/,
    );
    const late = Buffer.from(`${CSV}2024-01-31,Caf\u00e9,1\n`, 'latin1');
    expect((await refusalOf(late, { encoding: 'utf-8' })).message).toMatch(
      /^f:1: has bytes that are not utf-8/,
    );
  });

  test('finds the one legacy letter at the end of a large file', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `2024-01-31,Shop number ${i},-1.50\n`);
    const content = Buffer.from(`${CSV.slice(0, 17)}${lines.join('')}2024-01-31,Caf\u00e9,-1.50\n`, 'latin1');

    const read = await readContent(content);

    expect(read.detected.encoding).toBe('windows-1252');
    expect(read.rows.at(-1)?.name).toBe('Café');
  });

  test('keeps letters whole that fall on the edge of a piece', async () => {
    const lines = Array.from({ length: 12_000 }, (_, i) => `2024-01-31,${'é'.repeat(i % 7)}😀x,-1.50\r\n`);

    const read = await readContent(`Date,Name,Amount\r\n${lines.join('')}`);

    expect(read.rows).toHaveLength(12_000);
    expect(read.rows.every(({ name }, i) => name === `${'é'.repeat(i % 7)}😀x`)).toBe(true);
    expect(read.rows.at(-1)?.line).toBe(12_001);
  });

  test('takes a line end that falls on the edge of a piece as one', async () => {
    const start = `Date,Name,Amount\r\n2024-01-31,A,1\r\n2024-01-31,"`;
    const edge = 128 * 1024;
    const padded = `${start}${'x'.repeat(edge - start.length - 4)}",1`;

    const read = await readContent(`${padded}\r\n2024-01-31,B,1\r\n`);

    expect(padded).toHaveLength(edge - 1);
    expect(read.rows.map(({ line }) => line)).toEqual([2, 3, 4]);
  });

  test('refuses NUL characters by line', async () => {
    const lines = '2024-01-31,Shop,-1.50\n'.repeat(20_000);

    const refusal = await refusalOf(`Date,Name,Amount\n${lines}2024-01-31,Sh\0p,1\n`);

    expect(refusal.message).toMatch(/^f:20002: has a NUL character/);
  });
});
