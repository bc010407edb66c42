export const ACCOUNT_TYPES = [
  'depository',
  'investment',
  'crypto',
  'property',
  'vehicle',
  'other_asset',
  'credit_card',
  'loan',
  'other_liability',
] as const;

export type AccountType = (typeof ACCOUNT_TYPES)[number];

export const ACCOUNT_STATUSES = ['draft', 'active', 'disabled', 'pending_deletion'] as const;

export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];
