const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** A CAMT.053 document of one statement in USD; its entries begin on line 3. */
export function camt(
  entries: string,
  { version = '02', account = '<IBAN>DE89370400440532013000</IBAN>' } = {},
): string {
  const namespace = `urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}`;
  const statement = `<Stmt><Id>1</Id><Acct><Id>${account}</Id><Ccy>USD</Ccy></Acct>\n${entries}\n</Stmt>`;
  return `${HEAD}<Document xmlns="${namespace}"><BkToCstmrStmt>${statement}</BkToCstmrStmt></Document>\n`;
}

/** A booked entry of 2024-01-31, money out; `changes` replaces its elements by name. */
export function entry(changes: Record<string, string> = {}, details = ''): string {
  const elements: Record<string, string> = {
    Amt: '<Amt Ccy="USD">1.50</Amt>',
    CdtDbtInd: '<CdtDbtInd>DBIT</CdtDbtInd>',
    Sts: '<Sts>BOOK</Sts>',
    BookgDt: '<BookgDt><Dt>2024-01-31</Dt></BookgDt>',
    AcctSvcrRef: '<AcctSvcrRef>r1</AcctSvcrRef>',
    ...changes,
  };
  return `<Ntry>${Object.values(elements).join('')}${details && `<NtryDtls>${details}</NtryDtls>`}</Ntry>`;
}
