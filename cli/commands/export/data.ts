import type { Command } from 'commander';
import { UsageError } from '#cli/errors.ts';
import { type FamilyOption, familyOption } from '#cli/family-option.ts';
import { gzipped } from '#cli/gzipped.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { startProgress } from '#cli/progress.ts';
import { streamResult } from '#cli/stream-result.ts';
import type { FamilyExport } from '#src/family-data/export-family.ts';

interface DataOptions extends FamilyOption {
  gzip?: true;
}

export function data(exports: Command, host: Host): void {
  familyOption(exports.command('data'))
    .summary("write out a family's ledger")
    .description(
      "Writes the accounts, categories, tags, merchants, transactions, transfers and rejected transfers of a family, as they are at one moment: one JSON object per line, in the shape of Sure's all.ndjson. financectl import reads it again. People and keys are not in it.",
    )
    .option('--gzip', 'compress it')
    .addHelpText(
      'after',
      examples(
        ['export data -o smith.ndjson', 'export data --family Smith --gzip > smith.ndjson.gz'],
        'financectl import',
      ),
    )
    .action((options: DataOptions) => runData(host, options));
}

async function runData(host: Host, options: DataOptions): Promise<void> {
  if (host.flags.json) {
    throw new UsageError('the result is one JSON object per line already: --json does not go with it');
  }
  if (options.gzip && host.io.results.isTTY) {
    throw new UsageError(
      'compressed data is nothing for a terminal',
      'Give it a file: --output FILE, or > FILE.',
    );
  }
  const [{ exportFamily }, { findFamily }, { recordAuditEvent }] = await Promise.all([
    import('#src/family-data/export-family.ts'),
    import('#src/ledger/find-family.ts'),
    import('#src/audit/record-audit-event.ts'),
  ]);
  const { id: familyId, name } = await host.read((work) => findFamily(work, options.family));
  const { counts, isComplete } = await host.job(async (job) => {
    const exported = exportFamily(job.runtime, familyId);
    const told = telling(host, exported, name);
    await streamResult(host.io, options.gzip ? gzipped(told) : told);
    const { counts: records, isComplete } = exported;
    await job.perform(async (work) =>
      recordAuditEvent(work, 'family_exported', {
        metadata: { family_id: familyId, family: name, records, complete: isComplete },
      }),
    );
    return exported;
  });
  // Somebody who has stopped reading knows.
  if (!isComplete) return;
  const all = Object.entries(counts).map(([type, count]) => `${type} ${count}`);
  say(host.io, `Exported the family ${name}: ${all.join(', ')}`);
}

/** Its pieces; says how far it has come, and goes no further once the command is interrupted. */
async function* telling(host: Host, { chunks, counts }: FamilyExport, label: string): AsyncGenerator<string> {
  const progress = startProgress(host);
  try {
    for await (const chunk of chunks) {
      host.signal.throwIfAborted();
      progress.step({ label, done: sum(counts), unit: 'records' });
      yield chunk;
    }
  } finally {
    progress.clear();
  }
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
