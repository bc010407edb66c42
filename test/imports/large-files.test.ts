import { createWriteStream, fstatSync, mkdtempSync, rmSync, type Stats, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { openStatement } from '#src/imports/readers/open-statement.ts';
import { camt } from '#test/imports/camt-text.ts';

const ROWS = 75_000;
const folder = mkdtempSync(join(tmpdir(), 'large-'));
afterAll(() => rmSync(folder, { recursive: true }));

const day = (i: number) => String((i % 28) + 1).padStart(2, '0');
const csvRow = (i: number) =>
  `2024-01-${day(i)},"Shop ${i}, downtown",-${i % 1000}.25,Food,"some note ${i}"\n`;
const ofxRow = (i: number) =>
  `<STMTTRN>\n<TRNTYPE>DEBIT\n<DTPOSTED>202401${day(i)}120000\n<TRNAMT>-${i % 1000}.25\n<FITID>id${i}\n<NAME>Shop ${i}, downtown\n</STMTTRN>\n`;
const qifRow = (i: number) =>
  `D01/${day(i)}/2024\nT-${i % 1000}.25\nPShop ${i}, downtown\nMsome note ${i}\n^\n`;
const camtRow = (i: number) => {
  const amount = `<Amt Ccy="USD">${i % 1000}.25</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts>`;
  const rest = `<BookgDt><Dt>2024-01-${day(i)}</Dt></BookgDt><AcctSvcrRef>id${i}</AcctSvcrRef>`;
  return `<Ntry>${amount}${rest}<AddtlNtryInf>Shop ${i}, downtown</AddtlNtryInf></Ntry>\n`;
};
const [CAMT_HEAD = '', CAMT_END = ''] = camt('ENTRIES').split('ENTRIES');
const OFX_HEAD =
  '<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD<BANKACCTFROM><ACCTID>1</BANKACCTFROM><BANKTRANLIST>\n';
const OFX_END = '</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n';

async function generate(
  name: string,
  head: string,
  row: (i: number) => string,
  end: string,
): Promise<string> {
  const file = join(folder, name);
  const out = createWriteStream(file);
  out.write(head);
  for (let from = 0; from < ROWS; from += 5000) {
    out.write(Array.from({ length: 5000 }, (_, i) => row(from + i)).join(''));
  }
  out.end(end);
  await finished(out);
  return file;
}

/** Bytes in use after everything that can go has gone. */
function keptMemory(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Whether this process has the file open under one of the low numbers, which are given out first. */
function isOpen(file: string): boolean {
  const { dev, ino } = statSync(file);
  return Array.from({ length: 512 }, (_, descriptor) => statOf(descriptor)).some(
    (stats) => stats?.dev === dev && stats.ino === ino,
  );
}

function statOf(descriptor: number): Stats | undefined {
  try {
    return fstatSync(descriptor);
  } catch {
    return undefined;
  }
}

describe.each([
  ['large.csv', 'Date,Name,Amount,Category,Notes\n', csvRow, ''],
  ['large.ofx', OFX_HEAD, ofxRow, OFX_END],
  ['large.qif', '!Type:Bank\n', qifRow, ''],
  ['large.xml', CAMT_HEAD, camtRow, CAMT_END],
] as const)('%s', (name, head, row, end) => {
  test('is read in constant memory', async () => {
    const file = await generate(name, head, row, end);
    let rows = 0;
    let cents = 0;
    let batchCount = 0;
    let largest = 0;
    let early = Number.POSITIVE_INFINITY;
    let late = 0;

    const { batches } = await openStatement({ file, currency: 'USD' });
    for await (const batch of batches) {
      rows += batch.rows.length;
      largest = Math.max(largest, batch.rows.length);
      for (const { amountCents } of batch.rows) cents += amountCents;
      batchCount += 1;
      // Collecting the garbage is what takes long here.
      if (batchCount % 4 > 0) continue;
      if (rows < ROWS / 3) early = Math.min(early, keptMemory());
      if (rows > (2 * ROWS) / 3) late = Math.max(late, keptMemory());
    }

    expect(rows).toBe(ROWS);
    expect(cents).toBe((ROWS / 1000) * (999 * 500 * 100 + 1000 * 25));
    expect(largest).toBeLessThan(10_000);
    expect(late - early).toBeLessThan(8 * 1024 * 1024);
  });

  test('is closed when the loop is left', async () => {
    const file = await generate(name, head, row, end);
    const { batches } = await openStatement({ file, currency: 'USD' });

    for await (const batch of batches) {
      if (batch.rows.length === 0) continue;
      expect(isOpen(file)).toBe(true);
      break;
    }

    await vi.waitFor(() => expect(isOpen(file)).toBe(false));
  });
});
