import { z } from 'zod';
import { SCOPES } from '#src/auth/scope.ts';
import { TOKEN_ERRORS } from '#src/http/oauth/token-refusal.ts';
import { ACCOUNT_STATUSES, ACCOUNT_TYPES } from '#src/ledger/account-types.ts';
import { TRANSACTION_KINDS } from '#src/ledger/transaction-kinds.ts';

// What the API answers, named as in the specification. The served description is made from these, and the tests
// hold every answer against it; no request ever loads this file.

const uuid = () => z.string().meta({ format: 'uuid' });
const date = () => z.string().meta({ format: 'date' });
const dateTime = () => z.string().meta({ format: 'date-time', description: 'ISO 8601, UTC' });
const amount = () =>
  z.string().meta({ description: 'Formatted by ISO 4217 rules in English, e.g. "-$1,234.50"' });
const currency = () => z.string().meta({ description: 'ISO 4217 code', pattern: '^[A-Z]{3}$' });
const color = () => z.string().meta({ description: 'e.g. "#e99537"' });
const accountType = () => z.enum(ACCOUNT_TYPES);

const AccountSummary = z.object({
  id: uuid(),
  name: z.string(),
  account_type: accountType(),
  status: z.enum(ACCOUNT_STATUSES),
});

const Account = z.object({
  ...AccountSummary.shape,
  currency: currency(),
  created_at: dateTime(),
  updated_at: dateTime(),
});

const Pagination = z.object({
  page: z.int().min(1).describe('The page asked for, even past the end'),
  per_page: z.int().min(1).describe('The size in effect'),
  total_count: z.int().min(0),
  total_pages: z.int().min(0),
});

const TransferTransactionSide = z.object({
  id: uuid().describe('Id of the transaction'),
  entry_id: uuid(),
  date: date(),
  amount: amount(),
  amount_cents: z
    .int()
    .describe('Minor units: money leaving the account is positive, money entering negative'),
  currency: currency(),
  name: z.string(),
  kind: z.enum(TRANSACTION_KINDS),
  account: z.object({ id: uuid(), name: z.string(), account_type: accountType().nullable() }),
});

const RejectedTransfer = z
  .object({
    id: uuid(),
    inflow_transaction: TransferTransactionSide,
    outflow_transaction: TransferTransactionSide,
    created_at: dateTime(),
    updated_at: dateTime(),
  })
  .describe('Two transactions that were paired as a transfer and then rejected');

const Tag = z.object({ id: uuid(), name: z.string(), color: color() });
const Category = z.object({ id: uuid(), name: z.string(), color: color(), icon: z.string() });
const Merchant = z.object({ id: uuid(), name: z.string() });

const TransactionTransfer = z
  .object({
    id: uuid(),
    amount: amount().describe('Absolute amount of the inflow'),
    currency: currency(),
    other_account: AccountSummary,
  })
  .describe('The pending or confirmed transfer this transaction is one side of');

const Transaction = z.object({
  id: uuid(),
  date: date(),
  amount: amount(),
  amount_cents: z.int().min(0).describe('Minor units, absolute'),
  signed_amount_cents: z.int().describe('Minor units: income is positive'),
  currency: currency(),
  name: z.string(),
  classification: z.enum(['income', 'expense']),
  notes: z.string().nullable(),
  external_id: z.string().nullable(),
  source: z.string().nullable().describe('Where the row came from: api, csv, ofx, manual…'),
  account: AccountSummary,
  category: Category.nullable(),
  merchant: Merchant.nullable(),
  tags: z.array(Tag),
  transfer: TransactionTransfer.nullable(),
  created_at: dateTime(),
  updated_at: dateTime(),
});

const ErrorResponse = z.object({
  error: z.string().describe('A code for programs, e.g. "validation_failed"'),
  message: z.string().nullish().describe('A sentence for people'),
  details: z
    .union([z.array(z.string()), z.record(z.string(), z.unknown())])
    .nullish()
    .describe('Facts, e.g. {"limit": 60, "current": 61, "reset_in_seconds": 12}'),
  errors: z.array(z.string()).nullish().describe('One message per problem, each naming its parameter'),
});

const AccessToken = z
  .object({
    access_token: z.string().describe('`fin_at_` and 43 characters'),
    token_type: z.literal('Bearer'),
    expires_in: z.int().min(0).max(3600).describe('Seconds'),
    scope: z.enum(SCOPES),
  })
  .describe('RFC 6749, section 5.1');

const TokenError = z
  .object({
    error: z.enum(TOKEN_ERRORS),
    error_description: z.string().describe('A sentence for people'),
  })
  .describe('RFC 6749, section 5.2');

/** By the names the description gives them. */
export const SCHEMAS = {
  AccessToken,
  Account,
  AccountCollection: z.object({ accounts: z.array(Account), pagination: Pagination }),
  AccountSummary,
  Category,
  ErrorResponse,
  Merchant,
  Pagination,
  RejectedTransfer,
  RejectedTransferCollection: z.object({
    rejected_transfers: z.array(RejectedTransfer),
    pagination: Pagination,
  }),
  Tag,
  TokenError,
  Transaction,
  TransactionCollection: z.object({ transactions: z.array(Transaction), pagination: Pagination }),
  TransactionTransfer,
  TransferTransactionSide,
} as const;

export type SchemaName = keyof typeof SCHEMAS;
