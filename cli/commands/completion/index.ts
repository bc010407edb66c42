import type { Command } from 'commander';
import { SHELLS } from '#cli/commands/completion/shells.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { print } from '#cli/io.ts';
import { printJson } from '#cli/render.ts';

export function completion(group: Command, host: Host): void {
  for (const [shell, { about, install, script }] of Object.entries(SHELLS)) {
    group
      .command(shell)
      .summary(`print the script for ${shell}`)
      .description(
        `Prints a script that completes commands, flags, their values, and the names of providers, users, families and accounts; the names only while the database runs. ${about}`,
      )
      .addHelpText('after', examples(install))
      .action(() => {
        if (host.flags.json) printJson(host, { shell, script });
        else print(host.io, script.trimEnd());
      });
  }
}
