import { basename } from 'node:path';
import { insertImports } from '#src/family-data/insert-imports.ts';
import { intoFamily, takeSettings } from '#src/family-data/into-family.ts';
import { mergeNamed } from '#src/family-data/merge-named.ts';
import { mergePairs } from '#src/family-data/merge-pairs.ts';
import { insertTransactions, judgeTransactions } from '#src/family-data/merge-transactions.ts';
import { type Outcome, readOutcome } from '#src/family-data/read-outcome.ts';
import { type StagedFile, stageRecords } from '#src/family-data/stage-records.ts';
import { refreshStatistics } from '#src/imports/merge-staged.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import type { Family } from '#src/ledger/family.entity.ts';
import { lockPairs } from '#src/ledger/lock-pairs.ts';

/** Of PostgreSQL. */
const UNIQUE_VIOLATION = '23505';

export interface FamilyImport {
  /** The id of the family it goes into, or the name of one that is made for it. */
  into: { familyId: string } | { newFamily: string };
  file: string;
  /** How messages call the file, when not by its path. */
  label?: string | undefined;
  onProgress?: (records: number) => void;
}

export interface FamilyImportReport extends Outcome {
  family: { id: string; name: string };
  /** For `undoImport`: one for each account that got transactions. */
  importIds: string[];
  fileName: string;
  /** What came in with less than the file says, in sentences. */
  notices: string[];
}

/**
 * Reads a family's data, as Sure writes it and `exportFamily`, into a family. Ids stay as they are. What is there already
 * is left alone, so the same file can be imported any number of times; where it says something else there, that is a
 * conflict, and reported. A record that cannot be kept is rejected, and the rest comes in; a file that is broken as a
 * whole throws `validation_failed`.
 */
export async function importFamily(work: Work, request: FamilyImport): Promise<FamilyImportReport> {
  const { into, file, label = file, onProgress = () => undefined } = request;
  const staged = await stageRecords(work, { file, label, onProgress });
  const family = await intoFamily(work, into, staged.settings);
  try {
    const { importIds, notices } = await merge(work, family, staged, basename(label));
    const outcome = await readOutcome(work, staged);
    const { id, name } = family;
    return { ...outcome, family: { id, name }, importIds, fileName: basename(label), notices };
  } catch (error) {
    if (errorCode(error) === UNIQUE_VIOLATION) throw overtaken(error);
    throw error;
  }
}

async function merge(
  work: Work,
  family: Family,
  staged: StagedFile,
  fileName: string,
): Promise<Pick<FamilyImportReport, 'importIds' | 'notices'>> {
  await lockPairs(work, family.id);
  const notices = await takeSettings(work, family, staged.settings);
  await mergeNamed(work, family.id);
  const missing = await judgeTransactions(work, family.id);
  const { importIds, added } = await insertImports(work, family.id, fileName);
  await insertTransactions(work, family.id, importIds);
  await refreshStatistics(work, added);
  await mergePairs(work, family.id);
  return { importIds, notices: [...notices, ...describeLosses(staged.unkept, staged.rounded, missing)] };
}

/** A statement that comes in at the same time may bring the same category, or the same transaction. */
function overtaken(cause: unknown): AppError {
  return new AppError('conflict', 'The family was changed at the same moment; nothing of the file came in', {
    hint: 'Import it again.',
    cause,
  });
}

function describeLosses(
  unkept: ReadonlyMap<string, number>,
  rounded: number,
  missing: Readonly<Record<string, number>>,
): string[] {
  const notices = [...unkept].map(([what, count]) => `${what} is not kept here (${count})`);
  for (const [column, count] of Object.entries(missing)) {
    if (count > 0) notices.push(`${column} names something that is not in the file (${count}): left out`);
  }
  if (rounded > 0) notices.push(`amounts rounded to the digits of their currency: ${rounded}`);
  return notices;
}
