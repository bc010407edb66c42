import { openCamt } from '#src/imports/readers/camt/open-camt.ts';
import { openCsv } from '#src/imports/readers/csv/open-csv.ts';
import { findEncoding } from '#src/imports/readers/find-encoding.ts';
import { openOfx } from '#src/imports/readers/ofx/open-ofx.ts';
import { openQif } from '#src/imports/readers/qif/open-qif.ts';
import { readHead, unixLines } from '#src/imports/readers/read-text.ts';
import { recogniseFormat, refuseBinary } from '#src/imports/readers/recognise-format.ts';
import type { Format, ReadOptions, SourceText, Statement } from '#src/imports/readers/statement.ts';
import { minorUnitDigits } from '#src/ledger/money.ts';

type Open = (source: SourceText) => Statement | Promise<Statement>;

const READERS: Readonly<Record<Format, Open>> = {
  csv: openCsv,
  ofx: openOfx,
  qif: openQif,
  camt053: openCamt,
};

/**
 * Opens a bank statement, its kind recognised by content. A file that cannot be read as a whole is refused with
 * validation_failed and a message that begins `file:line:`: here, or while iterating; single bad lines are problems in
 * the batches. Memory does not grow with the file.
 */
export async function openStatement(options: ReadOptions): Promise<Statement> {
  minorUnitDigits(options.currency);
  const { file, label = file } = options;
  const { head: bytes, whole } = await readHead(file, label);
  refuseBinary(bytes, label, options.encoding);
  const encoding = await findEncoding({ path: file, label, head: bytes, given: options.encoding });
  const head = unixLines(new TextDecoder(encoding).decode(bytes, { stream: !whole }));
  const format = recogniseFormat(head, label, options.format);
  return READERS[format]({ options, label, encoding, head, whole });
}
