/** A UUID that is easy to read. */
export const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

type Data = Record<string, unknown>;

export const account = (number: number, data: Data = {}) => ({
  type: 'Account',
  data: {
    id: uuid(number),
    name: `Account ${number}`,
    accountable_type: 'Depository',
    currency: 'USD',
    ...data,
  },
});

export const named = (type: 'Category' | 'Tag' | 'Merchant', number: number, data: Data = {}) => ({
  type,
  data: { id: uuid(number), name: `${type} ${number}`, ...data },
});

/** In account 1, five dollars out. */
export const transaction = (number: number, data: Data = {}) => ({
  type: 'Transaction',
  data: {
    id: uuid(number),
    account_id: uuid(1),
    date: '2025-02-03',
    amount: '5.0',
    currency: 'USD',
    name: `Transaction ${number}`,
    ...data,
  },
});

export const pair = (
  type: 'Transfer' | 'RejectedTransfer',
  number: number,
  [inflow, outflow]: readonly [number, number],
  data: Data = {},
) => ({
  type,
  data: {
    id: uuid(number),
    inflow_transaction_id: uuid(inflow),
    outflow_transaction_id: uuid(outflow),
    ...data,
  },
});

/** Accounts 1 and 2; 10 and 12 leave the first, 11 and 13 enter the second: all could be pairs. */
export const TWO_ACCOUNTS = [
  account(1),
  account(2, { accountable_type: 'CreditCard' }),
  transaction(10),
  transaction(11, { account_id: uuid(2), amount: '-5.0' }),
  transaction(12),
  transaction(13, { account_id: uuid(2), amount: '-5.0' }),
];
