import { type QifField, type QifHandler, QifParser } from '#src/imports/readers/qif/qif-parser.ts';
import { readText } from '#src/imports/readers/read-text.ts';
import type { SourceText } from '#src/imports/readers/statement.ts';

export interface QifSection {
  kind: 'transactions' | 'investments' | 'unknown';
  /** As the file writes it. */
  type: string;
  line: number;
  /** The account it belongs to; null when the file names none. */
  account: string | null;
  /** No record of it has come yet. */
  isFresh: boolean;
}

export interface QifReader {
  section: (section: QifSection) => void;
  /** Of a section of transactions or investments. */
  record: (fields: QifField[], section: QifSection, isWhole: boolean) => void;
  /** `!Option:` that names the order of dates, as MDY. */
  dateOption: (letters: string) => void;
}

const TRANSACTIONS = /^(?:bank|cash|ccard|oth ?a|oth ?l)$/i;
const INVESTMENTS = /^(?:invst|port|401\(k\)\/403\(b\))$/i;
/** What programs export beside the transactions. */
const LISTS =
  /^(?:cat|class|memorized|memory|prices?|security|budget|tag|tax|template|invitem|invoice|bill|payee)\b/i;

/** Follows the sections of a QIF file, piece by piece as `reader` is told of them. */
export async function* readSections(source: SourceText, reader: QifReader): AsyncGenerator<void> {
  const parser = new QifParser(source.label, sectionHandler(reader));
  for await (const piece of readText(source.options.file, source.label, source.encoding)) {
    parser.write(piece);
    yield;
  }
  parser.end();
  yield;
}

function sectionHandler(reader: QifReader): QifHandler {
  let account: string | null = null;
  let section: QifSection | 'accounts' | 'list' = 'list';
  return {
    directive(text, line) {
      const type = /^type\s*:\s*(.*)$/i.exec(text)?.[1]?.trim();
      const order = /^option\s*:\s*([dmy]{3})$/i.exec(text)?.[1];
      if (order !== undefined) reader.dateOption(order);
      if (/^account\b/i.test(text)) section = 'accounts';
      if (type === undefined) return;
      section = LISTS.test(type) ? 'list' : { kind: kindOf(type), type, line, account, isFresh: true };
      if (section !== 'list') reader.section(section);
    },
    record(fields, isWhole) {
      // The last account named before a section is the one it belongs to.
      if (section === 'accounts') account = fields.find(({ code }) => code === 'N')?.text || null;
      if (typeof section === 'string' || section.kind === 'unknown') return;
      reader.record(fields, section, isWhole);
      section.isFresh = false;
      account = section.account;
    },
  };
}

function kindOf(type: string): QifSection['kind'] {
  if (TRANSACTIONS.test(type)) return 'transactions';
  return INVESTMENTS.test(type) ? 'investments' : 'unknown';
}
