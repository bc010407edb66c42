import { CSV_FIELDS, type CsvField } from '#src/imports/readers/statement.ts';
import { isCurrency } from '#src/ledger/money.ts';

/**
 * Headers as banks and programs write them in English, German, French, Spanish and Dutch, in the form headerKey gives.
 * Earlier fields choose first, and within a field the earlier name wins: a booking date before a value date.
 */
const NAMES: Record<CsvField, string> = {
  date: `
    date, booking date, transaction date, posting date, posted date, date posted, post date, trans date,
    completed date, buchung, buchungstag, buchungsdatum, datum, transaktionsdatum, boekdatum,
    boekingsdatum, transactiedatum, date operation, date de l operation, date d operation, date
    comptable, fecha, date de comptabilisation, fecha operacion, fecha de operacion, fecha contable, f
    operacion, value date, valutadatum, valuta, wertstellung, wertstellungsdatum, rentedatum, date
    valeur, date de valeur, fecha valor, f valor, effective date, started date
  `,
  amount: `
    amount, transaction amount, value, betrag, umsatz, montant, importe, monto, cantidad, bedrag,
    transactiebedrag, net amount, montant operation
  `,
  outflow: `
    outflow, debit, debit amount, withdrawal, withdrawals, withdrawal amount, money out, paid out, soll,
    lastschrift, belastung, ausgabe, ausgaben, cargo, cargos, debe, retrait, depense, depenses, af,
    uitgaven, spent, payments
  `,
  inflow: `
    inflow, credit, credit amount, deposit, deposits, deposit amount, money in, paid in, haben,
    gutschrift, einnahme, einnahmen, abono, abonos, haber, depot, recette, recettes, bij, inkomsten,
    received, receipts
  `,
  direction: `
    transaction type, debit credit, credit debit, dr cr, cr dr, credit debit indicator, soll haben,
    debit credit indicator, s h, sh, af bij, debet credit, sens
  `,
  name: `
    payee, name, payee name, counterparty, counterparty name, partner name, partner, empfanger,
    beneficiary, beguenstigter zahlungspflichtiger, begunstigter zahlungspflichtiger, zahlungsempfanger,
    auftraggeber empfanger, empfanger auftraggeber, zahlungsbeteiligter, name zahlungsbeteiligter,
    zahlungspflichtige r, zahlungsempfanger in, naam tegenpartij, naam, naam omschrijving, tegenpartij,
    tiers, beneficiaire, beneficiario, ordenante, description, transaction description, narrative,
    details, transaction details, transaction, beschreibung, buchungstext, bezeichnung,
    verwendungszweck, libelle, libelle operation, intitule, concepto, descripcion, omschrijving, text,
    title, merchant, merchant name, particulars, memo
  `,
  notes: `
    notes, note, memo, comment, comments, original description, verwendungszweck, notiz, notizen,
    bemerkung, mededelingen, omschrijving, opmerking, notitie, commentaire, remarque, observaciones,
    notas, nota, comentario, informations complementaires, additional information, extended details,
    payment reference, description, reference
  `,
  externalId: `
    transaction id, transactionid, id, transaction reference, transaction number, reference number,
    fitid, external id, bank reference, unique id, transaktionsnummer, transaktions id, referenz,
    referenznummer, numero de transaction, reference operation, referencia, transactiereferentie, volgnr
  `,
  category: 'category, kategorie, categorie, categoria, category name, subcategory, rubrik, rubriek',
  merchant: 'merchant, merchant name, handler, commercant, comercio, winkel',
  tags: 'tags, labels, tag, label, etiquettes, etiquetas, schlagworte, schlagworter',
  currency: 'currency, currency code, waehrung, wahrung, devise, moneda, divisa, munt, muntsoort, ccy',
  account: 'account name, account, auftragskonto, rekening, iban bban, compte, cuenta',
};

export const FIELD_NAMES: [field: CsvField, names: string[]][] = CSV_FIELDS.map((field) => [
  field,
  NAMES[field].split(',').map((name) => name.trim().replace(/\s+/g, ' ')),
]);

/** Lower case, without accents, marks and a trailing currency: `Betrag (EUR)` and `betrag` are one header. */
export function headerKey(header: string): string {
  const words = header
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .split(' ');
  const last = words.at(-1) ?? '';
  if (words.length > 1 && last.length === 3 && isCurrency(last.toUpperCase())) {
    words.pop();
    if (words.length > 1 && words.at(-1) === 'in') words.pop();
  }
  return words.join(' ');
}
