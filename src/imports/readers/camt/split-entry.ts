import { amountAt, type CamtValues, directionOf } from '#src/imports/readers/camt/camt-entry.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { ParsedAmount } from '#src/ledger/parse-amount.ts';

/** What becomes a row: one transaction of an entry, or all of them together. */
export interface EntryPart {
  details: readonly CamtValues[];
  direction: 'CRDT' | 'DBIT';
  /** As in double entry: what leaves the account is positive. */
  minorUnits: number;
}

interface Whole {
  total: ParsedAmount;
  currency: string;
  direction: 'CRDT' | 'DBIT';
}

/** TxDtls/Amt since version 4; before it, and in many files after it, only below AmtDtls. */
const AMOUNTS = ['Amt', 'AmtDtls/TxAmt/Amt', 'AmtDtls/InstdAmt/Amt'];

/**
 * A batch becomes its transactions when each has an amount in the currency of the account and they make up the total
 * to the cent; every other entry stays one.
 */
export function splitEntry(details: readonly CamtValues[], whole: Whole): readonly EntryPart[] {
  const { total, direction } = whole;
  const together = [{ details, direction, minorUnits: total.minorUnits }];
  if (details.length < 2 || total.rounded) return together;
  try {
    const parts = details.map((values) => partOf(values, whole));
    const sum = parts.reduce((before, { minorUnits }) => before + minorUnits, 0);
    return sum === total.minorUnits ? parts : together;
  } catch (error) {
    // An amount that is missing, foreign or broken.
    if (error instanceof AppError) return together;
    throw error;
  }
}

function partOf(values: CamtValues, { currency, direction }: Whole): EntryPart {
  const own = directionOf(values) ?? direction;
  const path = AMOUNTS.find((each) => values.get(`${each}@Ccy`) === currency) ?? 'Amt';
  return { details: [values], direction: own, ...amountAt(values, path, { currency, direction: own }) };
}
