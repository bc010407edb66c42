import { parseRecord, type StagedRow } from '#src/family-data/parse-record.ts';
import { type Data, says } from '#src/family-data/read-fields.ts';
import { type FamilyRecord, readRecords } from '#src/family-data/read-records.ts';
import type { RecordType } from '#src/family-data/record-types.ts';
import { readSettings, type Settings } from '#src/family-data/settings.ts';
import {
  CREATE_STAGED,
  FILL_STAGED,
  INDEX_STAGED,
  type StagedTable,
} from '#src/family-data/staged-tables.ts';
import type { LineMessage } from '#src/imports/readers/statement.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';

/** By names that the file makes up: no object, whose prototype has names of its own. */
type Counts = Map<string, number>;

export interface StagedFile {
  records: number;
  /** Of the family itself; undefined when the file does not say. */
  settings: Settings | undefined;
  /** Records that cannot be read, by their type. */
  unreadable: Counts;
  /** Why, for the first of them. */
  problems: LineMessage[];
  /** Records of types that are not kept, by their type. */
  skipped: Counts;
  /** What records say that is not kept, and how many say it: `Account.subtype`. */
  unkept: Counts;
  /** Amounts with more digits than their currency has. */
  rounded: number;
}

export interface StagingOptions {
  file: string;
  /** How messages call the file. */
  label: string;
  onProgress: (records: number) => void;
}

export const KEPT_MESSAGES = 1_000;
/** Types of records a file may make up before the rest counts as one. */
const MOST_TYPES = 100;

/** What this product has no place for, and what is told unless it is empty or false. */
const UNKEPT: Readonly<Partial<Record<RecordType, readonly string[]>>> = {
  Account: ['balance', 'subtype', 'institution_name', 'notes'],
  Category: ['parent_id'],
  Merchant: ['website_url', 'logo_url'],
  Transaction: ['excluded'],
  Transfer: ['notes'],
};

/** Carries a file, piece by piece, into the staged tables of this unit of work. */
export async function stageRecords(
  work: Work,
  { file, label, onProgress }: StagingOptions,
): Promise<StagedFile> {
  const staged: StagedFile = {
    records: 0,
    settings: undefined,
    unreadable: new Map(),
    problems: [],
    skipped: new Map(),
    unkept: new Map(),
    rounded: 0,
  };
  for (const statement of CREATE_STAGED) await work.sql(statement);
  for await (const records of readRecords(file, label)) {
    const rows = new Map<StagedTable, StagedRow['row'][]>();
    for (const record of records) take(staged, rows, record);
    for (const [table, batch] of rows) await work.sql(FILL_STAGED[table], [JSON.stringify(batch)]);
    onProgress(staged.records);
  }
  for (const statement of INDEX_STAGED) await work.sql(statement);
  return staged;
}

function take(staged: StagedFile, rows: Map<StagedTable, StagedRow['row'][]>, record: FamilyRecord): void {
  const { line, type, data } = record;
  staged.records += 1;
  try {
    if (type === 'Family') {
      staged.settings ??= readSettings(data);
      return;
    }
    const parsed = parseRecord(record);
    if (!parsed) {
      add(staged.skipped, type);
      return;
    }
    for (const { table, row } of parsed) {
      const batch = rows.get(table);
      if (batch) batch.push(row);
      else rows.set(table, [row]);
      if (row.rounded === true) staged.rounded += 1;
    }
    countUnkept(staged.unkept, type, data);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    add(staged.unreadable, type);
    if (staged.problems.length < KEPT_MESSAGES)
      staged.problems.push({ line, message: `${type}: ${error.message}` });
  }
}

function countUnkept(unkept: Counts, type: string, data: Data): void {
  for (const [known, keys] of Object.entries(UNKEPT)) {
    if (known !== type) continue;
    for (const key of keys) if (says(data, key) && data[key] !== false) add(unkept, `${type}.${key}`);
  }
}

function add(counts: Counts, name: string): void {
  const key = counts.has(name) || counts.size < MOST_TYPES ? name : 'others';
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
