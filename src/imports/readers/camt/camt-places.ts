/** What begins with an element, beside the values inside it. */
export type Part = 'statement' | 'entry' | 'detail';

/** An element of a statement that is read, or leads to one that is. */
export interface Place {
  below: Map<string, Place>;
  /** Its path from the part it belongs to; empty when its text is not read. */
  key: string;
  /** Its attribute Ccy is read as well, under `<key>@Ccy`. */
  isAmount: boolean;
  part: Part | undefined;
}

const STATEMENT = ['Acct/Id/IBAN', 'Acct/Id/Othr/Id', 'Acct/Ccy'];

/** Where versions differ, both ways are listed: Sts and Sts/Cd, Nm and Pty/Nm. */
const ENTRY =
  `Amt CdtDbtInd RvslInd Sts Sts/Cd Sts/Prtry BookgDt/Dt BookgDt/DtTm ValDt/Dt ValDt/DtTm AcctSvcrRef
  BkTxCd/Prtry/Cd AddtlNtryInf`.split(/\s+/);

const PARTIES = ['Dbtr', 'Cdtr', 'UltmtDbtr', 'UltmtCdtr'].flatMap((party) => [
  `RltdPties/${party}/Nm`,
  `RltdPties/${party}/Pty/Nm`,
  `RltdPties/${party}/Agt/FinInstnId/Nm`,
]);

const DETAIL = [
  ...`Refs/AcctSvcrRef Refs/EndToEndId Amt CdtDbtInd AmtDtls/TxAmt/Amt AmtDtls/InstdAmt/Amt
  AmtDtls/InstdAmt/CcyXchg/XchgRate RmtInf/Ustrd RmtInf/Strd/CdtrRefInf/Ref RmtInf/Strd/RfrdDocInf/Nb
  RmtInf/Strd/AddtlRmtInf RtrInf/Rsn/Cd RtrInf/AddtlInf AddtlTxInf`.split(/\s+/),
  ...PARTIES,
];

/** Texts that may come in several elements; of all others the first counts. */
export const REPEATED: ReadonlySet<string> = new Set(DETAIL.filter((path) => path.startsWith('RmtInf/')));

/** Every other element. */
export const NOWHERE: Place = { below: new Map(), key: '', isAmount: false, part: undefined };

/** Above the root element. */
export const OUTSIDE: Place = placesOf();

function placesOf(): Place {
  const outside = emptyPlace();
  const statement = add(outside, 'Document/BkToCstmrStmt/Stmt');
  fill(statement, 'statement', STATEMENT);
  const entry = add(statement, 'Ntry');
  fill(entry, 'entry', ENTRY);
  fill(add(entry, 'NtryDtls/TxDtls'), 'detail', DETAIL);
  return outside;
}

function fill(place: Place, part: Part, paths: readonly string[]): void {
  place.part = part;
  for (const path of paths) {
    const leaf = add(place, path);
    leaf.key = path;
    leaf.isAmount = /(?:^|\/)Amt$/.test(path);
  }
}

function add(from: Place, path: string): Place {
  return path.split('/').reduce((place, name) => {
    const below = place.below.get(name) ?? emptyPlace();
    place.below.set(name, below);
    return below;
  }, from);
}

function emptyPlace(): Place {
  return { below: new Map(), key: '', isAmount: false, part: undefined };
}
