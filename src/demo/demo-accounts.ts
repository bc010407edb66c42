/** The accounts of the sample household, each with its statement in `statements/`. */
export const DEMO_ACCOUNTS = [
  { name: 'Checking', accountType: 'depository', currency: 'USD', file: 'checking.csv' },
  { name: 'Savings', accountType: 'depository', currency: 'USD', file: 'savings.ofx' },
  { name: 'Credit card', accountType: 'credit_card', currency: 'USD', file: 'credit-card.qfx' },
  { name: 'Girokonto', accountType: 'depository', currency: 'EUR', file: 'girokonto.csv' },
  { name: 'Tagesgeld', accountType: 'depository', currency: 'EUR', file: 'tagesgeld.ofx' },
];
