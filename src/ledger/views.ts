import { isoTimestamp } from '#src/kernel/timestamp.ts';

/** What the API shows of an account wherever it stands beside something else. */
export interface AccountSummary {
  id: string;
  name: string;
  accountType: string;
  status: string;
}

export interface AccountView extends AccountSummary {
  currency: string;
  createdAt: string;
  updatedAt: string;
}

interface Named {
  id: string;
  name: string;
}

export interface TransferSummary {
  id: string;
  /** Absolute, minor units, of the inflow side. */
  amountCents: number;
  currency: string;
  otherAccount: AccountSummary;
}

export interface TransactionView {
  id: string;
  date: string;
  /** Minor units; positive when money leaves the account. */
  amountCents: number;
  currency: string;
  name: string;
  notes: string | null;
  externalId: string | null;
  source: string | null;
  kind: string;
  account: AccountSummary;
  category: (Named & { color: string; icon: string }) | null;
  merchant: Named | null;
  tags: (Named & { color: string })[];
  transfer: TransferSummary | null;
  createdAt: string;
  updatedAt: string;
}

export interface TransferSideView {
  transactionId: string;
  entryId: string;
  date: string;
  amountCents: number;
  currency: string;
  name: string;
  kind: string;
  account: Omit<AccountSummary, 'status'>;
}

/** An inflow and an outflow, whatever was decided about them. */
export interface PairView {
  id: string;
  inflow: TransferSideView;
  outflow: TransferSideView;
  createdAt: string;
  updatedAt: string;
}

export type RejectedTransferView = PairView;

export interface TransferView extends PairView {
  status: 'pending' | 'confirmed' | 'rejected';
}

export function toTimes(row: { created_at: string; updated_at: string }): {
  createdAt: string;
  updatedAt: string;
} {
  return { createdAt: isoTimestamp(row.created_at), updatedAt: isoTimestamp(row.updated_at) };
}
