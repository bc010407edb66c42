import type { QualifiedTag } from 'sax';
import type { AccountFilter } from '#src/imports/readers/account-filter.ts';
import { accountOf, type CamtEntry } from '#src/imports/readers/camt/camt-entry.ts';
import { NOWHERE, OUTSIDE, type Part, type Place, REPEATED } from '#src/imports/readers/camt/camt-places.ts';
import { CamtRows } from '#src/imports/readers/camt/camt-rows.ts';
import { type XmlHandler, XmlReader } from '#src/imports/readers/camt/xml-reader.ts';
import { emptyBatch, type StatementBatch } from '#src/imports/readers/statement.ts';

interface Target {
  label: string;
  /** ISO 4217 code of the account the rows go into. */
  currency: string;
  filter: AccountFilter;
}

const LARGEST_ENTRY = 8_000_000;
/** What an element costs beside its text. */
const OVERHEAD = 50;
const NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:camt\.053\.001\.(?:0[2-9]|1[0-3])$/;

/** Follows the structure of a CAMT.053 file and collects its entries. */
export class CamtReader implements XmlHandler {
  readonly #target: Target;
  readonly #xml: XmlReader;
  readonly #rows: CamtRows;
  #batch: StatementBatch = emptyBatch();
  #namespace = '';
  #statements = 0;
  readonly #path: Place[] = [OUTSIDE];
  #place = OUTSIDE;
  #statement = new Map<string, string>();
  /** Whether the statement in hand is read; null until its first entry. */
  #isAccepted: boolean | null = null;
  /** Which account it is about, once that is known. */
  #account: string | null = null;
  #entry: CamtEntry | null = null;
  /** Those of the part in hand: statement, entry or detail. */
  #values = this.#statement;
  /** Of the entry in hand, about: its characters. */
  #size = 0;

  constructor(target: Target) {
    this.#target = target;
    this.#xml = new XmlReader(target.label, this);
    this.#rows = new CamtRows(target.currency);
  }

  write(piece: string): void {
    this.#xml.write(piece);
  }

  open(tag: QualifiedTag): boolean {
    if (this.#path.length === 1) this.#checkRoot(tag);
    const place = (tag.uri === this.#namespace && this.#place.below.get(tag.local)) || NOWHERE;
    const isRead = place.part === undefined || this.#begin(place.part);
    this.#place = isRead ? place : NOWHERE;
    this.#path.push(this.#place);
    if (place.isAmount) this.#keep(`${place.key}@Ccy`, tag.attributes.Ccy?.value ?? '');
    return isRead && place.key !== '';
  }

  close(text: string): void {
    const place = this.#path.pop() ?? OUTSIDE;
    this.#place = this.#path[this.#path.length - 1] ?? OUTSIDE;
    if (place.key !== '') this.#keep(place.key, text.trim());
    if (place.part !== undefined) this.#finishPart(place.part);
  }

  takeBatch(): StatementBatch {
    const batch = this.#batch;
    this.#batch = emptyBatch();
    return batch;
  }

  /** Throws unless the file was whole and held a statement. */
  finish(): void {
    this.#xml.end();
    if (this.#statements === 0) throw this.#xml.defect('holds no statement (BkToCstmrStmt/Stmt)');
    this.#target.filter.finish();
    this.#rows.finish(this.#batch);
  }

  #checkRoot({ name, local, uri }: QualifiedTag): void {
    this.#namespace = uri;
    if (local === 'Document' && NAMESPACE.test(uri)) return;
    const why = `begins with <${name}> in the namespace ${JSON.stringify(uri.slice(0, 100))}, not as camt.053.001.02 to .13`;
    throw this.#xml.defect(why, 'Download the statement as CAMT.053, the end-of-day statement.');
  }

  /** Whether what is inside is to be read. */
  #begin(part: Part): boolean {
    if (part === 'statement') {
      this.#statements += 1;
      this.#statement = new Map();
      this.#values = this.#statement;
      this.#isAccepted = null;
    } else if (part === 'entry') {
      this.#isAccepted ??= this.#accepts();
      if (!this.#isAccepted) return false;
      this.#entry = { ...this.#xml.position, values: new Map(), details: [] };
      this.#values = this.#entry.values;
      this.#size = 0;
    } else {
      this.#values = new Map();
      this.#entry?.details.push(this.#values);
      this.#count(OVERHEAD);
    }
    return true;
  }

  #finishPart(part: Part): void {
    if (part === 'statement') {
      if (this.#isAccepted === null) this.#target.filter.accepts(accountOf(this.#statement));
    } else if (part === 'entry') {
      if (this.#entry) this.#rows.add(this.#batch, this.#entry, this.#account);
      this.#entry = null;
      this.#values = this.#statement;
    } else {
      this.#values = this.#entry?.values ?? this.#statement;
    }
  }

  /** The first value counts, but for texts that may come in several elements. */
  #keep(key: string, text: string): void {
    if (text === '') return;
    const before = this.#values.get(key);
    if (before !== undefined && !REPEATED.has(key)) return;
    this.#count(text.length + OVERHEAD);
    this.#values.set(key, before === undefined ? text : `${before}\n${text}`);
  }

  #count(size: number): void {
    if (this.#entry === null) return;
    this.#size += size;
    if (this.#size > LARGEST_ENTRY)
      throw this.#xml.defect(`has an entry of more than ${LARGEST_ENTRY} characters`);
  }

  #accepts(): boolean {
    const { filter, currency } = this.#target;
    const stated = this.#statement.get('Acct/Ccy');
    this.#account = accountOf(this.#statement);
    if (!filter.accepts(this.#account)) return false;
    if (stated === undefined || stated === currency) return true;
    const why = `the statement is in ${stated}, the account in ${currency}`;
    throw this.#xml.defect(why, `Import it into an account in ${stated}.`);
  }
}
