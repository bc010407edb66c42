// English, German (Soll/Haben), Dutch (Af/Bij), French, Spanish.
const OUT = new Set(
  'debit dr d withdrawal outflow out expense soll s lastschrift belastung af debet retrait cargo debe'.split(
    ' ',
  ),
);
const IN = new Set(
  'credit cr c deposit inflow in income haben h gutschrift bij depot abono haber'.split(' '),
);

/** Whether money left or entered the account, by the word a bank uses for it. */
export function directionOf(text: string): 'out' | 'in' | undefined {
  const word = text.trim().toLowerCase();
  if (OUT.has(word)) return 'out';
  return IN.has(word) ? 'in' : undefined;
}

export function isDirection(text: string): boolean {
  return directionOf(text) !== undefined;
}
