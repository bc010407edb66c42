import { accountFilter } from '#src/imports/readers/account-filter.ts';
import { fileDefect } from '#src/imports/readers/file-defect.ts';
import { DATE_ORDER_NAMES } from '#src/imports/readers/parse-date.ts';
import { detectQifStyle, type QifStyle } from '#src/imports/readers/qif/detect-qif-style.ts';
import type { QifField } from '#src/imports/readers/qif/qif-parser.ts';
import { addQifRow, textOf, transferOf } from '#src/imports/readers/qif/qif-row.ts';
import { type QifReader, type QifSection, readSections } from '#src/imports/readers/qif/qif-sections.ts';
import {
  emptyBatch,
  type SourceText,
  type Statement,
  type StatementBatch,
} from '#src/imports/readers/statement.ts';

/** QIF as Quicken and banks write it. Goes through the whole file once, to learn how it writes dates and amounts. */
export async function openQif(source: SourceText): Promise<Statement> {
  const style = await detectQifStyle(source);
  const detected = {
    encoding: source.encoding,
    decimal: style.decimal,
    dateFormat: DATE_ORDER_NAMES[style.dateOrder],
  };
  return { format: 'qif', detected, batches: readQif(source, style) };
}

async function* readQif(source: SourceText, style: QifStyle): AsyncGenerator<StatementBatch> {
  const reader = new QifRows(source, style);
  for await (const _ of readSections(source, reader)) yield reader.takeBatch();
  reader.finish();
}

class QifRows implements QifReader {
  readonly #source: SourceText;
  readonly #style: QifStyle;
  readonly #filter: ReturnType<typeof accountFilter>;
  #batch = emptyBatch();
  #sections = 0;
  #isAccepted = false;

  constructor(source: SourceText, style: QifStyle) {
    this.#source = source;
    this.#style = style;
    this.#filter = accountFilter(source.label, source.options.account);
  }

  section({ kind, type, line }: QifSection): void {
    if (kind === 'transactions') this.#sections += 1;
    if (kind === 'unknown') {
      const message = `!Type:${type.slice(0, 60)} is not known; what follows was left out`;
      this.#batch.notices.push({ line, message });
    }
    if (kind !== 'investments' || this.#source.options.account !== undefined) return;
    const hint =
      'Read are bank, cash, credit card and other accounts; export those alone, or choose one by its name.';
    throw fileDefect(this.#source.label, line, `holds investments (!Type:${type})`, hint);
  }

  dateOption(): void {
    // The style knows.
  }

  record(fields: QifField[], section: QifSection, isWhole: boolean): void {
    if (section.kind !== 'transactions') return;
    const isOpening = section.isFresh && opensAccount(fields, section);
    if (section.isFresh) {
      if (isOpening) section.account ??= transferOf(fields);
      this.#isAccepted = this.#filter.accepts(section.account);
    }
    if (!this.#isAccepted) return;
    const line = fields[0]?.line ?? section.line;
    if (isOpening) this.#leaveOutOpening(fields, line);
    else if (isWhole) addQifRow(this.#batch, fields, this.#accountOf(section));
    else this.#batch.problems.push({ line, message: 'the record does not end with ^: it may be cut off' });
  }

  takeBatch(): StatementBatch {
    const batch = this.#batch;
    this.#batch = emptyBatch();
    return batch;
  }

  /** Throws unless the file held transactions of the account meant. */
  finish(): void {
    const hint = 'Export a bank, cash or credit card account.';
    if (this.#sections === 0)
      throw fileDefect(this.#source.label, 1, 'holds no transactions (!Type:Bank)', hint);
    this.#filter.finish();
  }

  #accountOf({ account }: QifSection) {
    const { currency, sign } = this.#source.options;
    return { ...this.#style, currency, isInflowPositive: sign !== 'outflow-positive', accountHint: account };
  }

  #leaveOutOpening(fields: QifField[], line: number): void {
    const amount = textOf(fields, 'T') || textOf(fields, 'U');
    if (/[1-9]/.test(amount))
      this.#batch.notices.push({ line, message: `the opening balance ${amount} was left out` });
  }
}

/** Quicken begins an account with its balance, as a transfer from itself; it also names an account so. */
function opensAccount(fields: readonly QifField[], { account }: QifSection): boolean {
  const other = transferOf(fields);
  if (other === '') return false;
  return account === null ? /^opening balance$/i.test(textOf(fields, 'P')) : other === account;
}
