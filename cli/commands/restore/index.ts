import type { Command } from 'commander';
import { runRestore } from '#cli/commands/restore/run-restore.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';

export interface RestoreFlags {
  replace?: true;
  confirm?: string;
}

/** `restore FILE` is a command itself. */
export function restore(group: Command, host: Host): void {
  group
    .usage('[flags] <file>')
    .description(
      'Brings a backup back, all of it or nothing, and then up to the schema of this release. The database must be empty, unless --replace is given; it then asks for the word replace, and --yes is not enough. With --dry-run everything is loaded and checked, then taken back.',
    )
    .argument('<file>', 'a backup; - is standard input')
    .option('--replace', 'replace everything the database holds')
    .option('--confirm <word>', 'the word replace, for scripts')
    .addHelpText(
      'after',
      examples(
        [
          'restore finance.tar.gz --dry-run',
          'restore finance.tar.gz',
          'restore finance.tar.gz --replace --confirm replace',
        ],
        'financectl backup, financectl backup verify',
      ),
    )
    .action((file: string, options: RestoreFlags) => runRestore(host, file, options));
}
