import type { AccountFilter } from '#src/imports/readers/account-filter.ts';
import { fileDefect } from '#src/imports/readers/file-defect.ts';
import { addOfxRow, type OfxTransaction } from '#src/imports/readers/ofx/ofx-row.ts';
import type { OfxHandler } from '#src/imports/readers/ofx/ofx-tokenizer.ts';
import { emptyBatch, type StatementBatch } from '#src/imports/readers/statement.ts';

const AGGREGATES = new Set(
  'BANKACCTFROM CCACCTFROM BANKACCTTO CCACCTTO PAYEE EXTDPAYEE CURRENCY ORIGCURRENCY IMAGEDATA LEDGERBAL AVAILBAL BAL'.split(
    ' ',
  ),
);
const AGAIN = 'Download the statement again, as OFX or CSV.';

interface Target {
  label: string;
  /** ISO 4217 code of the account the rows go into. */
  currency: string;
  filter: AccountFilter;
  /** An account of the file was chosen, so other kinds of statement may stay unread. */
  chosen: boolean;
}

/** Follows the structure of an OFX file and collects its transactions. */
export class OfxReader implements OfxHandler {
  readonly #target: Target;
  #batch: StatementBatch = emptyBatch();
  #started = false;
  #ended = false;
  #statements = 0;
  #statement: { currency: string | null; accountId: string | null; accepted: boolean | null } | null = null;
  #listLine = 0;
  #aggregate = '';
  #transaction: OfxTransaction | null = null;

  constructor(target: Target) {
    this.#target = target;
  }

  open(name: string, line: number): void {
    if (AGGREGATES.has(name)) this.#aggregate = name;
    else if (name === 'STMTTRN') this.#openTransaction(line);
    else if (name === 'BANKTRANLIST') this.#listLine = line;
    else if (name === 'STMTRS' || name === 'CCSTMTRS') this.#openStatement(line);
    else if (name === 'INVSTMTRS') this.#refuseInvestment(line);
    else if (name === 'OFX') this.#started = true;
  }

  close(name: string, line: number): void {
    if (name === this.#aggregate) this.#aggregate = '';
    else if (name === 'STMTTRN') this.#closeTransaction();
    else if (name === 'BANKTRANLIST') this.#closeList();
    else if (name === 'STMTRS' || name === 'CCSTMTRS') this.#closeStatement(line);
    else if (name === 'OFX') {
      this.#closeStatement(line);
      this.#ended = this.#started;
    }
  }

  value(name: string, text: string): void {
    if (this.#transaction) {
      const key = this.#aggregate === '' ? name : `${this.#aggregate}.${name}`;
      if (!this.#transaction.values.has(key)) this.#transaction.values.set(key, text);
    } else if (this.#statement) {
      if (name === 'CURDEF') this.#statement.currency = text.toUpperCase();
      if (name === 'ACCTID' && this.#aggregate.endsWith('ACCTFROM')) this.#statement.accountId = text;
    }
  }

  takeBatch(): StatementBatch {
    const batch = this.#batch;
    this.#batch = emptyBatch();
    return batch;
  }

  /** Throws unless the file was whole and held a statement. */
  finish(line: number): void {
    const { label, filter } = this.#target;
    if (!this.#started) throw fileDefect(label, line, 'has no <OFX> element', AGAIN);
    if (!this.#ended) throw fileDefect(label, line, 'ends before </OFX>: it is cut off', AGAIN);
    if (this.#statements === 0)
      throw fileDefect(label, line, 'holds no bank or credit card statement', AGAIN);
    filter.finish();
  }

  #openStatement(line: number): void {
    this.#closeStatement(line);
    this.#statements += 1;
    this.#statement = { currency: null, accountId: null, accepted: null };
  }

  #closeStatement(line: number): void {
    const { label, filter } = this.#target;
    if (this.#listLine > 0) {
      throw fileDefect(
        label,
        line,
        `has a BANKTRANLIST, begun on line ${this.#listLine}, that is not closed`,
        AGAIN,
      );
    }
    if (this.#statement?.accepted === null) filter.accepts(this.#statement.accountId);
    this.#statement = null;
    this.#aggregate = '';
  }

  #closeList(): void {
    this.#closeTransaction();
    this.#listLine = 0;
  }

  #openTransaction(line: number): void {
    this.#closeTransaction();
    this.#aggregate = '';
    if (this.#statement && this.#accepts(line)) this.#transaction = { line, values: new Map() };
  }

  #closeTransaction(): void {
    if (!this.#transaction) return;
    const accountId = this.#statement?.accountId ?? null;
    addOfxRow(this.#batch, this.#transaction, { currency: this.#target.currency, accountId });
    this.#transaction = null;
    this.#aggregate = '';
  }

  #accepts(line: number): boolean {
    if (!this.#statement) return false;
    const { currency, accountId } = this.#statement;
    this.#statement.accepted ??= this.#target.filter.accepts(accountId);
    if (this.#statement.accepted && currency !== null && currency !== this.#target.currency) {
      const why = `the statement is in ${currency}, the account in ${this.#target.currency}`;
      throw fileDefect(this.#target.label, line, why, `Import it into an account in ${currency}.`);
    }
    return this.#statement.accepted;
  }

  #refuseInvestment(line: number): void {
    if (this.#target.chosen) return;
    const hint =
      'Read are bank and credit card statements; choose one with its account number if the file holds any.';
    throw fileDefect(this.#target.label, line, 'holds an investment statement (INVSTMTRS)', hint);
  }
}
