import type { Command } from 'commander';

/** What every command understands, before or after its name. */
export interface Flags {
  json?: true;
  format?: string;
  output?: string;
  force?: true;
  quiet?: true;
  debug?: true;
  color: boolean;
  input: boolean;
  yes?: true;
  dryRun?: boolean;
}

export function addFlags(program: Command): void {
  program
    .option('--json', 'one JSON document on stdout; errors as JSON on stderr')
    .option('--format <format>', 'how lists are written; see financectl help formats')
    .option('-o, --output <file>', 'write the result to a new file (mode 0600); - is stdout')
    .option('--force', 'let --output replace the file')
    .option('-q, --quiet', 'say nothing but results and errors')
    .option('--debug', 'log everything; show the stack of an error')
    .option('--no-color', 'no colours')
    .option('--no-input', 'never ask')
    .option('-y, --yes', 'answer confirmations with yes')
    .option('-n, --dry-run', 'do everything, then save nothing')
    .option('--no-dry-run', 'save, even when DRY_RUN says otherwise')
    .option('-V, --version', 'print the version');
}
