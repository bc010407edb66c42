import { type Data, readText } from '#src/family-data/read-fields.ts';
import { invalid } from '#src/kernel/errors.ts';
import { requireCurrency } from '#src/ledger/money.ts';

/** What a file says of the family itself; a file of Sure's says nothing. */
export interface Settings {
  currency: string;
  transferMatching: boolean;
}

export function readSettings(data: Data): Settings {
  const { transfer_matching: transferMatching } = data;
  if (typeof transferMatching !== 'boolean') throw invalid(['transfer_matching is neither true nor false']);
  return { currency: requireCurrency(readText(data, 'currency', 10)), transferMatching };
}
