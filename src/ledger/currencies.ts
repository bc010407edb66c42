/**
 * ISO 4217 list one of 2024-06-25: how many decimal digits the minor unit of each currency has. Codes without a
 * minor unit (metals, XXX) have 0. Intl is no source for this: it differs for 29 codes (HUF, IDR, IQD, ...).
 * Made from the currency-codes package, which costs 9 ms and 4 MB to load; test/ledger/money.test.ts compares the two.
 */
const CODES_BY_DIGITS = {
  0: `
    BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XAG XAU XBA XBB XBC XBD XDR XOF XPD XPF
    XPT XSU XTS XUA XXX
  `,
  2: `
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD
    CDF CHE CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP
    GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL
    MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN
    QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD
    TWD TZS UAH USD USN UYU UZS VED VES WST XCD YER ZAR ZMW ZWG
  `,
  3: `
    BHD IQD JOD KWD LYD OMR TND
  `,
  4: `
    CLF UYW
  `,
};

export const MINOR_UNIT_DIGITS: ReadonlyMap<string, number> = new Map(
  Object.entries(CODES_BY_DIGITS).flatMap(([digits, codes]) =>
    codes
      .trim()
      .split(/\s+/)
      .map((code) => [code, Number(digits)] as const),
  ),
);
