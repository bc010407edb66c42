import type { Command } from 'commander';
import { TOPICS } from '#cli/commands/help/topics.ts';
import type { Host } from '#cli/host.ts';
import { print } from '#cli/io.ts';

/** `help GROUP…` never comes here: program.ts turns it into `GROUP… --help`. */
export function help(group: Command, { io }: Host): void {
  for (const [name, { summary, text }] of Object.entries(TOPICS)) {
    group
      .command(name)
      .summary(summary)
      .description(`Prints ${summary}.`)
      .addHelpText('after', `\nExample:\n  $ financectl help ${name}`)
      .action(async () => print(io, await text()));
  }
}
