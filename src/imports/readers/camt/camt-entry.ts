import { realDate } from '#src/imports/readers/parse-date.ts';
import { invalid } from '#src/kernel/errors.ts';
import { type ParsedAmount, parseAmount } from '#src/ledger/parse-amount.ts';

/** Texts by path, as `BookgDt/Dt`; amounts have their currency beside them, under `Amt@Ccy`. */
export type CamtValues = ReadonlyMap<string, string>;

/** An Ntry: its values, and those of each TxDtls inside. */
export interface CamtEntry {
  line: number;
  column: number;
  values: Map<string, string>;
  details: Map<string, string>[];
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:T[\d:.]+)?(?:Z|[+-]\d\d:\d\d)?$/;
const DATES = {
  BookgDt: { day: 'BookgDt/Dt', time: 'BookgDt/DtTm' },
  ValDt: { day: 'ValDt/Dt', time: 'ValDt/DtTm' },
};
const DECIMAL = /^\+?(?:\d+\.?\d*|\.\d+)$/;
const IBAN = /^[A-Z]{2}\d\d[A-Z\d]{4,30}$/;

/** IBAN, else the other number of the account a statement is about; null when it names none. */
export function accountOf(statement: CamtValues): string | null {
  const account = statement.get('Acct/Id/IBAN') ?? statement.get('Acct/Id/Othr/Id');
  return account === undefined ? null : bareAccount(account);
}

/** An IBAN without spaces, in capitals; any other account number as it is. */
export function bareAccount(account: string): string {
  const bare = account.replace(/\s+/g, '').toUpperCase();
  return IBAN.test(bare) ? bare : account;
}

/** The day as the bank wrote it: the time and zone say when, not on which statement day. Undefined when not given. */
export function dateAt(values: CamtValues, path: 'BookgDt' | 'ValDt'): string | undefined {
  const { day, time } = DATES[path];
  const text = values.get(day) ?? values.get(time);
  if (text === undefined) return undefined;
  const date = KNOWN_DATES.get(text) ?? readDate(text);
  if (date === undefined) throw invalid([`${path} ${JSON.stringify(text.slice(0, 60))} is not a real date`]);
  return date;
}

/** Statements repeat their dates, so most are looked up. */
const KNOWN_DATES = new Map<string, string>();
const MOST_DATES = 1_000;

function readDate(text: string): string | undefined {
  const [, year, month, day] = DATE.exec(text) ?? [];
  const date = realDate(Number(year), Number(month), Number(day));
  if (date === undefined) return undefined;
  if (KNOWN_DATES.size >= MOST_DATES) KNOWN_DATES.clear();
  KNOWN_DATES.set(text, date);
  return date;
}

/** As in double entry: what leaves the account is positive. */
export function amountAt(
  values: CamtValues,
  path: string,
  { currency, direction }: { currency: string; direction: string },
): ParsedAmount {
  const text = values.get(path);
  if (text === undefined) throw invalid([`the entry has no ${path}`]);
  const unit = values.get(`${path}@Ccy`);
  if (unit !== currency) throw invalid([`is in ${unit ?? 'no currency'}, not in ${currency}`]);
  // Never negative: CdtDbtInd says which way it goes.
  if (!DECIMAL.test(text)) throw invalid([`${path} ${JSON.stringify(text.slice(0, 60))} is not an amount`]);
  const { minorUnits, rounded } = parseAmount(text, { decimal: '.', currency });
  return { minorUnits: direction === 'DBIT' ? minorUnits : 0 - minorUnits, rounded };
}

export function directionOf(values: CamtValues): 'CRDT' | 'DBIT' | undefined {
  const direction = values.get('CdtDbtInd');
  if (direction === undefined || direction === 'CRDT' || direction === 'DBIT') return direction;
  throw invalid([`CdtDbtInd ${JSON.stringify(direction.slice(0, 60))} is neither CRDT nor DBIT`]);
}
