import type { AccountType } from '#src/ledger/account-types.ts';

export const TRANSACTION_KINDS = [
  'standard',
  'funds_movement',
  'cc_payment',
  'loan_payment',
  'one_time',
  'investment_contribution',
] as const;

export type TransactionKind = (typeof TRANSACTION_KINDS)[number];

/** What the inflow of a confirmed transfer is, wherever it comes from. */
export const INFLOW_KIND: TransactionKind = 'funds_movement';

const OUTFLOW_KINDS: Partial<Record<AccountType, TransactionKind>> = {
  loan: 'loan_payment',
  credit_card: 'cc_payment',
  other_liability: 'cc_payment',
  investment: 'investment_contribution',
  crypto: 'investment_contribution',
};

/** What the outflow of a confirmed transfer is, by the account the money goes to. */
export function outflowKind(destination: AccountType): TransactionKind {
  return OUTFLOW_KINDS[destination] ?? 'funds_movement';
}
