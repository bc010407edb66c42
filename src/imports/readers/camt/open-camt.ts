import { accountFilter } from '#src/imports/readers/account-filter.ts';
import { bareAccount } from '#src/imports/readers/camt/camt-entry.ts';
import { CamtReader } from '#src/imports/readers/camt/camt-reader.ts';
import { readText } from '#src/imports/readers/read-text.ts';
import type { SourceText, Statement, StatementBatch } from '#src/imports/readers/statement.ts';

/** CAMT.053, the bank-to-customer statement of ISO 20022; nothing is read before iteration begins. */
export function openCamt(source: SourceText): Statement {
  const detected: Record<string, string> = { encoding: source.encoding };
  const version = /camt\.053\.001\.\d\d/.exec(source.head)?.[0];
  if (version) detected.version = version;
  return { format: 'camt053', detected, batches: readCamt(source) };
}

async function* readCamt({ options, label, encoding }: SourceText): AsyncGenerator<StatementBatch> {
  const chosen = options.account === undefined ? undefined : bareAccount(options.account);
  const filter = accountFilter(label, chosen);
  const reader = new CamtReader({ label, currency: options.currency, filter });
  for await (const piece of readText(options.file, label, encoding)) {
    reader.write(piece);
    yield reader.takeBatch();
  }
  reader.finish();
  yield reader.takeBatch();
}
