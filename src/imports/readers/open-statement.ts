import { openCsv } from '#src/imports/readers/csv/open-csv.ts';
import { findEncoding } from '#src/imports/readers/find-encoding.ts';
import { openOfx } from '#src/imports/readers/ofx/open-ofx.ts';
import { readHead, unixLines } from '#src/imports/readers/read-text.ts';
import { recogniseFormat, refuseBinary } from '#src/imports/readers/recognise-format.ts';
import type { ReadOptions, Statement } from '#src/imports/readers/statement.ts';
import { minorUnitDigits } from '#src/ledger/money.ts';

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
  const { format = 'auto' } = options;
  const source = { options, label, encoding, head, whole };
  return (format === 'auto' ? recogniseFormat(head, label) : format) === 'ofx'
    ? openOfx(source)
    : openCsv(source);
}
