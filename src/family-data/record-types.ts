import { ACCOUNT_TYPES, type AccountType } from '#src/ledger/account-types.ts';

/** What this product keeps of the records of a family's data, in the order in which they refer to each other. */
export const RECORD_TYPES = [
  'Family',
  'Account',
  'Category',
  'Tag',
  'Merchant',
  'Transaction',
  'Transfer',
  'RejectedTransfer',
] as const;

export type RecordType = (typeof RECORD_TYPES)[number];

/** How the format calls the kinds of accounts: `credit_card` is `CreditCard`. */
export const ACCOUNTABLE_TYPES: ReadonlyMap<string, AccountType> = new Map(
  ACCOUNT_TYPES.map((type) => [accountableType(type), type]),
);

export function accountableType(accountType: string): string {
  return accountType
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
