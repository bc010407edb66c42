import type { Command } from 'commander';
import { create } from '#cli/commands/backup/create.ts';
import { verify } from '#cli/commands/backup/verify.ts';
import type { Host } from '#cli/host.ts';

/** `backup` is a command itself and has one below it. */
export function backup(group: Command, host: Host): void {
  group.enablePositionalOptions();
  create(group, host);
  verify(group, host);
}
