import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { samlFixture } from '#test/sso/given-metadata.ts';
import { runCli } from '#test/support/cli.ts';
import { type Harness, useRuntime } from '#test/support/database.ts';
import { givenPopulated, NOBODY, type Populated } from '#test/support/populated.ts';

/** Files that examples read, by their name there. */
const FILES: Record<string, string | Buffer> = {
  'statement.ofx': ofx(),
  'checking.ofx': ofx(),
  'visa.csv': 'Date,Amount,Description\n2026-05-01,-1.00,Tea\n',
  'quicken.qif': '!Type:Bank\nD01/05/26\nT-1.00\nPTea\n^\n',
  'camt053.xml': camt(),
  'bank.csv': 'Buchungstag;Betrag;Text\n01.05.2026;-1,00;Tee\n',
  'config/auth.yml': `providers:\n  - { name: okta, strategy: openid_connect, issuer: "${NOBODY}", client_id: finance }\n`,
  'okta.yml': `{ strategy: openid_connect, name: written, issuer: "${NOBODY}", client_id: finance }`,
  'response.txt': 'no response',
  'claims.json': JSON.stringify({ sub: 'x', email: 'new@example.com', email_verified: true }),
  'password.txt': 'correct horse battery staple\n',
  'secret.txt': 'planted-client-secret\n',
  'new-secret.txt': 'planted-client-secret\n',
  'new-metadata.xml': samlFixture('adfs.xml'),
};

/** Words that mean something else in the prepared database. */
const WORDS: Readonly<Record<string, string | string[]>> = {
  '*.csv': 'visa.csv',
  Lovelace: 'Smith',
  'https://example.okta.com': NOBODY,
};

const PROVIDERS_FILE = `providers:
  - { name: corp, strategy: saml, metadata_url: "${NOBODY}/metadata" }
`;

interface Preparation {
  /** What to put in place of these words. */
  words?: Record<string, string | string[]> | ((made: Populated) => Record<string, string | string[]>);
  /** Providers come from the file. */
  yaml?: true;
  /** Flags that keep it from asking the world outside. */
  also?: string[];
  /** What it ends with instead of 0; `why` says why it cannot end with 0 here. */
  exitCode?: number;
  why?: string;
  /** Runs on a terminal, where this text is awaited; then `answer` is typed, or Ctrl-C pressed. */
  awaits?: string;
  answer?: string;
}

const ID = '0197f1d2-5c1e-7a3b-9d0e-3f2a1b4c5d6e';
const OTHER_ID = '0197f1d2-61aa-7c44-8f10-aa1b2c3d4e5f';

/** Examples that need more than the prepared database. All others are run as they are, and must end with 0. */
export const PREPARED: Readonly<Record<string, Preparation>> = {
  'families create Smith --currency USD': { words: { Smith: 'Jones' } },
  'users create --email ada@example.com --new-family Lovelace --currency GBP': {
    words: { 'ada@example.com': 'new@example.com', Lovelace: 'Jones' },
  },
  'users create --email bob@example.com --family Lovelace --password-stdin < password.txt': {
    words: { 'bob@example.com': 'new@example.com' },
  },
  'users invite bob@example.com': { words: { 'bob@example.com': 'new@example.com' } },
  'users invite bob@example.com --family Lovelace --role admin': {
    words: { 'bob@example.com': 'new@example.com' },
  },
  'users reactivate ada@example.com': { words: { 'ada@example.com': 'mel@example.com' } },
  'users uninvite bob@example.com': { words: { 'bob@example.com': 'ann@example.com' } },
  'users delete ada@example.com': { awaits: 'Type the email', answer: 'ada@example.com' },
  'providers create': { awaits: 'Which identity provider?', exitCode: 130 },
  'providers create --preset google --client-id ID --client-secret-file secret.txt': {
    also: ['--skip-verify'],
  },
  'providers create --strategy openid_connect --name okta --issuer https://example.okta.com --client-id ID --client-secret-stdin < secret.txt':
    { words: { okta: 'other' }, also: ['--skip-verify'] },
  'providers create --strategy saml --name okta --metadata-url https://example.okta.com/app/APP-ID/sso/saml/metadata':
    {
      words: {
        okta: 'other',
        'https://example.okta.com/app/APP-ID/sso/saml/metadata': `${NOBODY}/metadata`,
      },
      exitCode: 7,
      why: 'nobody answers there',
    },
  'providers create --file okta.yml --disabled': { also: ['--skip-verify'] },
  'providers test okta': { exitCode: 7, why: 'nobody answers there' },
  'providers test --all --exit-code --quiet': { exitCode: 7, why: 'nobody answers there' },
  'providers preview corp --response response.txt --at 2026-01-31T12:00:00Z': {
    words: { corp: 'adfs' },
    exitCode: 5,
    why: 'the file holds no response',
  },
  'providers keygen okta': { words: { okta: 'adfs' } },
  'providers keygen okta --for encryption -o encryption.crt': { words: { okta: 'adfs' } },
  'providers keygen okta --to-dir /etc/finance': {
    words: { okta: 'corp', '/etc/finance': tmpdir() },
    yaml: true,
  },
  'users set-password ada@example.com': { awaits: 'New password', answer: 'correct horse battery' },
  'users create --email eve@example.com --family Lovelace --invite': {
    words: { 'eve@example.com': 'new@example.com' },
  },
  'providers show okta --metadata -o ours.xml': { words: { okta: 'adfs' } },
  'import all.ndjson --new-family Smith': { words: { Smith: 'Jones' } },
  'restore finance.tar.gz --dry-run': { exitCode: 4, why: 'the database is not empty' },
  'restore finance.tar.gz': { exitCode: 4, why: 'the database is not empty' },
  'audit list --event login_failed --follow --format ndjson': { awaits: '', exitCode: 130 },
  'accounts create Checking --type depository': { words: { Checking: 'Another' } },
  [`api-keys revoke ${ID} --yes`]: { words: ({ apiKeyId }) => ({ [ID]: apiKeyId }) },
  [`import undo ${ID} --yes`]: { words: ({ importId }) => ({ [ID]: importId }) },
  [`transactions show ${ID}`]: { words: ({ pairIds: [one] }) => ({ [ID]: one }) },
  [`transfers match ${ID} ${OTHER_ID}`]: {
    words: ({ pairIds: [one, two] }) => ({ [ID]: one, [OTHER_ID]: two }),
  },
  [`transfers confirm ${ID}`]: { words: ({ pendingId }) => ({ [ID]: pendingId }) },
  [`transfers reject ${ID}`]: { words: ({ pendingId }) => ({ [ID]: pendingId }) },
  [`transfers unreject ${ID}`]: { words: ({ rejectedId }) => ({ [ID]: rejectedId }) },
};

/** An example, ready to be run. */
interface ReadyExample extends Pick<Preparation, 'awaits' | 'answer' | 'why'> {
  argv: string[];
  env: Record<string, string>;
  stdin: string;
  exitCode: number;
}

export interface Examples {
  harness: Harness;
  /** What is in the database. */
  readonly made: Populated;
  ready: (example: string) => ReadyExample;
}

/** A database that is filled once, and what makes examples ready to run on it. */
export function useExamples(settings: Record<string, string> = {}): Examples {
  const folder = mkdtempSync(join(tmpdir(), 'finance-examples-'));
  const harness = useRuntime(
    { AUTH_PROVIDERS_SOURCE: 'db', AUDIT_ARCHIVE_URL: folder, ...settings },
    { shared: true },
  );
  let made: Populated | undefined;
  const filled = () => {
    if (!made) throw new Error('the database is filled in beforeAll');
    return made;
  };
  beforeAll(async () => {
    made = await givenPopulated(harness);
    writeFileSync(join(folder, 'auth.yml'), PROVIDERS_FILE);
    const backup = join(folder, 'finance.tar.gz');
    await runCli(['backup', '-o', backup], {
      runtime: harness.runtime,
      env: { AUTH_PROVIDERS_SOURCE: 'db' },
    });
    FILES['finance.tar.gz'] = readFileSync(backup);
    const family = join(folder, 'all.ndjson');
    await runCli(['export', 'data', '-o', family], { runtime: harness.runtime });
    FILES['all.ndjson'] = readFileSync(family);
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return {
    harness,
    get made() {
      return filled();
    },
    ready: (example) => {
      const prepared = makeReady(example, filled(), folder);
      // What cron runs wants to be told which database is meant.
      const database = example.startsWith('audit ') ? { DATABASE_URL: harness.databaseUrl } : {};
      return { ...prepared, env: { ...database, ...settings, ...prepared.env } };
    },
  };
}

function makeReady(example: string, made: Populated, folder: string): ReadyExample {
  const { words = {}, also = [], yaml, exitCode = 0, ...rest } = PREPARED[example] ?? {};
  const substitutes = { ...WORDS, ...(typeof words === 'function' ? words(made) : words) };
  const line = parseLine(example);
  if (line === undefined) {
    throw new Error(`the test understands words, quotes, <, > and | only: financectl ${example}`);
  }
  const argv = line.words.flatMap((word, index) => {
    const isOutput = /^(-o|--output)$/.test(line.words[index - 1] ?? '');
    return isOutput ? newPath(folder, word) : toPaths(folder, substitutes[word] ?? word);
  });
  const stdin = line.stdin === undefined ? '' : FILES[line.stdin]?.toString();
  if (stdin === undefined) throw new Error(`FILES lacks ${line.stdin}: financectl ${example}`);
  const settings = {
    AUTH_PROVIDERS_SOURCE: 'db',
    AUDIT_ARCHIVE_URL: folder,
    ...(yaml && { AUTH_PROVIDERS_SOURCE: 'yaml', AUTH_PROVIDERS_FILE: join(folder, 'auth.yml') }),
    // Everything is done, and rolled back, so that no example disturbs the next.
    DRY_RUN: 'true',
  };
  return { argv: [...argv, ...also], env: settings, stdin, exitCode, ...rest };
}

interface Line {
  words: string[];
  /** The file after <. */
  stdin: string | undefined;
}

/** Words as a shell takes them; undefined when there is more to it than quotes, < and >, and a | behind. */
function parseLine(example: string): Line | undefined {
  const line: Line = { words: [], stdin: undefined };
  const tokens = [...example.matchAll(/"([^"$`\\]*)"|([^\s"'|&;$`<>()]+)|([<>]) ?(\S+)|(\S)/g)];
  for (const [, quoted, word, redirection, file, odd] of tokens) {
    if (odd === '|') break;
    if (odd !== undefined && odd !== ';') return undefined;
    if (redirection === '<') line.stdin = file;
    else if (redirection === undefined) line.words.push(quoted ?? word ?? '');
  }
  return line;
}

/** Files that are read are written first, into a folder of the test's own. */
function toPaths(folder: string, words: string | string[]): string[] {
  return [words].flat().map((word) => {
    const content = FILES[word];
    if (content === undefined) return word;
    const path = newPath(folder, word);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  });
}

let files = 0;

function newPath(folder: string, word: string): string {
  files += 1;
  return join(folder, `${files}-${basename(word)}`);
}

function ofx(): string {
  return `OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR
<BANKACCTFROM><ACCTID>1</BANKACCTFROM><BANKTRANLIST><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260501<TRNAMT>-1.00
<FITID>1<NAME>Tea</STMTTRN></BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n`;
}

function camt(): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><GrpHdr><MsgId>1</MsgId>
<CreDtTm>2026-05-02T00:00:00Z</CreDtTm></GrpHdr><Stmt><Id>1</Id><CreDtTm>2026-05-02T00:00:00Z</CreDtTm>
<Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></Acct><Ntry><Amt Ccy="EUR">1.00</Amt>
<CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-05-01</Dt></BookgDt><AcctSvcrRef>1</AcctSvcrRef>
<AddtlNtryInf>Tea</AddtlNtryInf></Ntry></Stmt></BkToCstmrStmt></Document>\n`;
}
