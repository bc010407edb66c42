import type { Command } from 'commander';
import { type RangeOptions, rangeOptions } from '#cli/commands/audit/archives/range.ts';
import { Verdict } from '#cli/errors.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say, warn } from '#cli/io.ts';
import { startProgress } from '#cli/progress.ts';
import { printResult } from '#cli/render.ts';
import type { Finding } from '#src/audit/archive/verify/finding.ts';
import type { Verification } from '#src/audit/archive/verify-archives.ts';

export function verify(archives: Command, host: Host): void {
  rangeOptions(archives.command('verify'))
    .summary('read archives back and say what is missing or changed')
    .description(
      'Reads every archived day from the target and compares it with its record: the chain of manifests, the hash, the number of events, each line. Names everything that is missing or has been changed, and exits with 5 then. What the target holds and the database does not know is named too.',
    )
    .addHelpText('after', examples(['audit archives verify', 'audit archives verify --since 30d --quiet']))
    .action((options: RangeOptions) => runVerify(host, options));
}

async function runVerify(host: Host, options: RangeOptions): Promise<void> {
  const { io } = host;
  const { verifyArchives } = await import('#src/audit/archive/verify-archives.ts');
  const progress = startProgress(host);
  const watch = ({ day = '' }: { day?: string | undefined }) => progress.show(`read ${day}`);
  const verification = await host
    .job((job) => verifyArchives(job, { ...options, watch }))
    .finally(() => progress.clear());

  const { problems, notes, archives, rows } = verification;
  if (!host.flags.json) for (const { message } of problems) warn(io, message);
  for (const { message } of notes) say(io, `note: ${message}`);
  printResult(host, present(verification));
  if (problems.length === 0) return say(io, `${archives} archives with ${rows} events are as they were made`);
  throw new Verdict(
    'archives_damaged',
    5,
    `${problems.length} things are wrong with the archives in ${verification.target}`,
  );
}

function present({ target, archives, rows, problems, notes }: Verification): Record<string, unknown> {
  return {
    status: problems.length === 0 ? 'ok' : 'damaged',
    target,
    archives,
    rows,
    problems: problems.map(presentFinding),
    notes: notes.map(presentFinding),
  };
}

function presentFinding({ code, day, message }: Finding): Record<string, unknown> {
  return { code, day: day ?? null, message };
}
