import { randomUUIDv7 } from 'node:crypto';
import { basename } from 'node:path';
import { Import } from '#src/imports/import.entity.ts';
import { mergeStaged } from '#src/imports/merge-staged.ts';
import { openStatement } from '#src/imports/readers/open-statement.ts';
import type { Format, LineMessage, ReadOptions } from '#src/imports/readers/statement.ts';
import { dropStaged, type Staging, stageStatement } from '#src/imports/stage-statement.ts';
import { AppError, invalid } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import type { Account } from '#src/ledger/account.entity.ts';
import { findAccount } from '#src/ledger/find-account.ts';
import { requireCurrency } from '#src/ledger/money.ts';

export interface StatementImport {
  familyId: string;
  /** Name or id of the account the statement belongs to. */
  account: string;
  file: string;
  /** ISO 4217; the account must be in it. Files of CSV and QIF do not say theirs. */
  currency?: string | undefined;
  /** How to read the file, where that is not to be found out. */
  options?: Omit<ReadOptions, 'file' | 'currency'>;
  /** How many rows to show in `preview`; default none. */
  preview?: number;
  onProgress?: (rows: number) => void;
}

export interface PreviewRow {
  line: number;
  date: string;
  amountCents: number;
  currency: string;
  name: string;
  status: 'new' | 'duplicate';
}

export interface ImportReport {
  /** For `undoImport`; null when the file brought nothing new. */
  importId: string | null;
  fileName: string;
  format: Format;
  account: { id: string; name: string };
  imported: number;
  duplicates: number;
  rejectedCount: number;
  /** Why, for the first thousand rejected lines. */
  rejected: LineMessage[];
  notices: LineMessage[];
  /** What was found out about the file: encoding, delimiter, date format… */
  detected: Record<string, string>;
  preview: PreviewRow[];
}

/**
 * Reads one statement file into one account. Lines that cannot be read are reported and the rest comes in; a file
 * that is broken as a whole throws `validation_failed`. A row that came in before, from this file or another, is
 * left alone, so the same file can be imported any number of times.
 */
export async function importStatement(work: Work, request: StatementImport): Promise<ImportReport> {
  const { familyId, file, options } = request;
  const account = await findAccount(work, { familyId, account: request.account });
  if (account.status === 'pending_deletion') {
    throw new AppError('conflict', `${account.name} is marked for deletion`, {
      hint: 'Choose another account.',
    });
  }
  checkCurrency(account, request.currency);

  const statement = await openStatement({ ...options, file, currency: account.currency });
  const staging = await stageStatement(work, statement, request.onProgress);
  const { importId, imported } = await merge(work, account, { file, source: statement.format, staging });
  const preview = request.preview ? await readPreview(work, familyId, request.preview) : [];
  await dropStaged(work);
  return {
    importId,
    fileName: basename(file),
    format: statement.format,
    account: { id: account.id, name: account.name },
    imported,
    duplicates: staging.rowCount - imported,
    rejectedCount: staging.problemCount,
    rejected: staging.problems,
    notices: staging.notices,
    detected: statement.detected,
    preview,
  };
}

function checkCurrency({ name, currency }: Account, wanted: string | undefined): void {
  if (wanted === undefined || requireCurrency(wanted) === currency) return;
  throw invalid(
    [`${name} is in ${currency}, not in ${wanted.toUpperCase()}`],
    'Choose an account in that currency.',
  );
}

interface MergeInput {
  file: string;
  source: Format;
  staging: Staging;
}

async function merge(
  work: Work,
  { familyId, id: accountId }: Account,
  { file, source, staging }: MergeInput,
): Promise<{ importId: string | null; imported: number }> {
  const record = work.em.create(Import, {
    familyId,
    id: randomUUIDv7(),
    accountId,
    fileName: basename(file),
    source,
    importedCount: 0,
    duplicateCount: 0,
    rejectedCount: staging.problemCount,
    undoneAt: null,
  });
  await work.em.flush();

  const imported = await mergeStaged(work, { familyId, accountId, importId: record.id, source });
  if (imported === 0) {
    work.em.remove(record);
  } else {
    record.importedCount = imported;
    record.duplicateCount = staging.rowCount - imported;
  }
  await work.em.flush();
  return { importId: imported === 0 ? null : record.id, imported };
}

async function readPreview(work: Work, familyId: string, limit: number): Promise<PreviewRow[]> {
  const rows = await work.sql<Omit<PreviewRow, 'amountCents'> & { amountCents: string }>(
    `select s.line, s.date, s.amount_cents as "amountCents", s.currency, s.name,
       case when e.id is null then 'duplicate' else 'new' end as status
     from (select * from staged order by line limit $2) s
     left join entries e on e.family_id = $1 and e.id = s.entry_id
     order by s.line`,
    [familyId, limit],
  );
  return rows.map((row) => ({ ...row, amountCents: Number(row.amountCents) }));
}
