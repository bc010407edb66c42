import { accountFilter } from '#src/imports/readers/account-filter.ts';
import { OfxReader } from '#src/imports/readers/ofx/ofx-reader.ts';
import { OfxTokenizer } from '#src/imports/readers/ofx/ofx-tokenizer.ts';
import { readText } from '#src/imports/readers/read-text.ts';
import type { SourceText, Statement, StatementBatch } from '#src/imports/readers/statement.ts';

/** OFX 1.x, QFX and OFX 2.x; nothing is read before iteration begins. */
export function openOfx(source: SourceText): Statement {
  const detected: Record<string, string> = { encoding: source.encoding };
  const version = /VERSION(?:=["']|:\s*)(\d{3})/.exec(source.head.replace(/<\?xml[^>]*>/i, ''))?.[1];
  if (version) detected.version = version;
  return { format: 'ofx', detected, batches: readOfx(source) };
}

async function* readOfx({ options, label, encoding }: SourceText): AsyncGenerator<StatementBatch> {
  const filter = accountFilter(label, options.account);
  const chosen = options.account !== undefined;
  const reader = new OfxReader({ label, currency: options.currency, filter, chosen });
  const tokenizer = new OfxTokenizer(label, reader);
  for await (const piece of readText(options.file, label, encoding)) {
    tokenizer.write(piece);
    yield reader.takeBatch();
  }
  reader.finish(tokenizer.end());
}
