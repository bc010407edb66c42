import type { Command } from 'commander';
import { type Io, say, warn } from '#cli/io.ts';

/** Groups whose changes are about who may get in. */
const ATTRIBUTED: ReadonlySet<string> = new Set(['users', 'providers', 'api-keys', 'keys']);

/**
 * What a command ends with on stderr, once: that nothing was saved; or, on a terminal, that nobody is named for a change
 * of who may get in. Cron is left in peace.
 */
export function closingNotes(io: Io, readActor: () => string | undefined) {
  let isAttributed = false;
  let hasRehearsed = false;
  let hasWritten = false;
  return {
    begin: (command: Command) => {
      isAttributed = ATTRIBUTED.has(groupOf(command));
    },
    wrote: ({ dryRun }: { dryRun: boolean }) => {
      if (dryRun) hasRehearsed = true;
      else hasWritten = true;
    },
    tell: (hasWorked: boolean) => {
      if (hasRehearsed) warn(io, 'DRY RUN: nothing was saved');
      if (hasRehearsed || !hasWorked || !hasWritten) return;
      if (!isAttributed || !io.stderr.isTTY || readActor() !== undefined) return;
      say(io, 'Note: the audit log names no user for this; --actor or FINANCECTL_ACTOR says who it is.');
    },
  };
}

/** The name below that of the program. */
function groupOf(command: Command): string {
  return command.parent?.parent ? groupOf(command.parent) : command.name();
}
