import type { Command } from 'commander';
import { list } from '#cli/commands/import/list.ts';
import { statement } from '#cli/commands/import/statement.ts';
import { undo } from '#cli/commands/import/undo.ts';
import type { Host } from '#cli/host.ts';

/** `import FILE…` is a command itself and has others below it; a file named `list` is `./list`. */
export function imports(group: Command, host: Host): void {
  // The options of `import FILE…` end where the name of a command below it begins.
  group.enablePositionalOptions();
  statement(group, host);
  list(group, host);
  undo(group, host);
}
