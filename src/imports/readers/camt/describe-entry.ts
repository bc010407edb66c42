import { type CamtEntry, type CamtValues, dateAt } from '#src/imports/readers/camt/camt-entry.ts';
import type { EntryPart } from '#src/imports/readers/camt/split-entry.ts';
import { cleanName, cleanNotes } from '#src/imports/readers/clean-text.ts';

interface Context {
  entry: CamtEntry;
  /** YYYY-MM-DD. */
  date: string;
}

const NONE: CamtValues = new Map();
const NOT_PROVIDED = /^not ?provided$/i;
/** Where names of either side are: the party, then whom it acts for. */
const NAMES = { Dbtr: namesOf('Dbtr'), Cdtr: namesOf('Cdtr') };

/** The counterparty, else what the transaction is for, else what the bank calls it; the rest are notes. */
export function describe(
  part: EntryPart,
  { entry: { values }, date }: Context,
): { name: string; notes: string | null } {
  const { details } = part;
  const detail = (details.length === 1 ? details[0] : undefined) ?? NONE;
  const texts = remittanceOf(detail);
  add(texts, detail.get('AddtlTxInf'));
  add(texts, values.get('AddtlNtryInf'));
  if (details.length > 1) add(texts, `Batch of ${details.length} transactions`);

  const party = cleanName(partyOf(part, values));
  const spare = texts[0] ?? values.get('BkTxCd/Prtry/Cd') ?? '';
  const name = party || cleanName(spare) || '(no description)';
  addRemarks(texts, { detail, values, date });
  const notes = party === '' ? texts.filter((text) => text !== spare) : texts;
  return { name, notes: cleanNotes(notes.join('\n')) };
}

/** Nothing is said twice: some banks repeat one text in several places. */
function add(texts: string[], text: string | undefined): void {
  if (text !== undefined && !texts.includes(text)) texts.push(text);
}

/** In a reversal the parties keep the roles they had in what is reversed. */
function partyOf({ details, direction }: EntryPart, entry: CamtValues): string {
  const paths = NAMES[(direction === 'CRDT') === isReversal(entry) ? 'Cdtr' : 'Dbtr'];
  const name = details[0] ? nameOf(details[0], paths) : '';
  return details.length < 2 || details.every((detail) => nameOf(detail, paths) === name) ? name : '';
}

function nameOf(detail: CamtValues, paths: readonly string[]): string {
  for (const path of paths) {
    const name = detail.get(path);
    if (name !== undefined && !NOT_PROVIDED.test(name)) return name;
  }
  return '';
}

/** Since version 8 the name is below Pty, or it is that of a bank below Agt. */
function namesOf(role: string): readonly string[] {
  return [role, `Ultmt${role}`].flatMap((each) =>
    ['Nm', 'Pty/Nm', 'Agt/FinInstnId/Nm'].map((path) => `RltdPties/${each}/${path}`),
  );
}

function remittanceOf(detail: CamtValues): string[] {
  const texts: string[] = [];
  const document = detail.get('RmtInf/Strd/RfrdDocInf/Nb');
  const reference = detail.get('RmtInf/Strd/CdtrRefInf/Ref');
  add(texts, detail.get('RmtInf/Ustrd'));
  add(texts, detail.get('RmtInf/Strd/AddtlRmtInf'));
  if (document !== undefined) texts.push(`Document ${document.replaceAll('\n', ', ')}`);
  if (reference !== undefined) texts.push(`Reference ${reference.replaceAll('\n', ', ')}`);
  return texts;
}

function addRemarks(
  texts: string[],
  { detail, values, date }: { detail: CamtValues; values: CamtValues; date: string },
): void {
  if (isReversal(values)) texts.push('Reversal');
  const reason = detail.get('RtrInf/Rsn/Cd') ?? detail.get('RtrInf/AddtlInf');
  if (reason !== undefined) texts.push(`Returned: ${reason}`);
  const unit = detail.get('AmtDtls/InstdAmt/Amt@Ccy');
  if (unit !== undefined && unit !== values.get('Amt@Ccy')) {
    const rate = detail.get('AmtDtls/InstdAmt/CcyXchg/XchgRate');
    const amount = detail.get('AmtDtls/InstdAmt/Amt') ?? '';
    texts.push(`Converted from ${unit} ${amount}${rate ? ` at ${rate}` : ''}`);
  }
  const endToEnd = detail.get('Refs/EndToEndId');
  if (endToEnd !== undefined && !NOT_PROVIDED.test(endToEnd)) texts.push(`End-to-end id ${endToEnd}`);
  const value = dateAt(values, 'ValDt');
  if (value !== undefined && value !== date) texts.push(`Value date ${value}`);
}

function isReversal(entry: CamtValues): boolean {
  const indicator = entry.get('RvslInd');
  return indicator === 'true' || indicator === '1';
}
