import type { AccountSummary, AccountView } from '#src/ledger/views.ts';

export function presentAccountSummary({ id, name, accountType, status }: AccountSummary) {
  return { id, name, account_type: accountType, status };
}

/** The JSON shape of an account, as API and CLI print it. */
export function presentAccount(view: AccountView) {
  return {
    ...presentAccountSummary(view),
    currency: view.currency,
    created_at: view.createdAt,
    updated_at: view.updatedAt,
  };
}
