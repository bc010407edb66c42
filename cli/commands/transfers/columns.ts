import type { Column } from '#cli/render.ts';
import { iso } from '#cli/times.ts';
import type { TransferSideView, TransferView } from '#src/ledger/views.ts';

type FormatMoney = (minorUnits: number, currency: string) => string;

export function transferColumns(formatMoney: FormatMoney): Column<TransferView>[] {
  return [
    { key: 'status', value: ({ status }) => status },
    {
      key: 'amount',
      value: ({ outflow }) => formatMoney(outflow.amountCents, outflow.currency),
      align: 'right',
    },
    ...sideColumns('outflow', 'FROM', ({ outflow }) => outflow),
    ...sideColumns('inflow', 'TO', ({ inflow }) => inflow),
    { key: 'created_at', value: ({ createdAt }) => iso(createdAt), detail: true },
    { key: 'id', value: ({ id }) => id, whole: true },
  ];
}

function sideColumns(
  key: string,
  header: string,
  sideOf: (transfer: TransferView) => TransferSideView,
): Column<TransferView>[] {
  return [
    { key: `${key}_account`, header, value: (transfer) => sideOf(transfer).account.name },
    { key: `${key}_date`, header: 'ON', value: (transfer) => sideOf(transfer).date },
    { key: `${key}_name`, value: (transfer) => sideOf(transfer).name, detail: true },
    { key: `${key}_amount_cents`, value: (transfer) => sideOf(transfer).amountCents, detail: true },
    { key: `${key}_currency`, value: (transfer) => sideOf(transfer).currency, detail: true },
    { key: `${key}_transaction_id`, value: (transfer) => sideOf(transfer).transactionId, detail: true },
  ];
}

/** One transfer in JSON. */
export function presentTransfer({ id, status, createdAt, inflow, outflow }: TransferView) {
  return {
    id,
    status,
    created_at: iso(createdAt),
    inflow: presentSide(inflow),
    outflow: presentSide(outflow),
  };
}

function presentSide({ transactionId, date, amountCents, currency, name, account }: TransferSideView) {
  return {
    transaction_id: transactionId,
    date,
    amount_cents: amountCents,
    currency,
    name,
    account: { id: account.id, name: account.name },
  };
}
