import type { Command } from 'commander';
import { create } from '#cli/commands/users/create.ts';
import { list } from '#cli/commands/users/list.ts';
import type { Host } from '#cli/host.ts';

export function users(group: Command, host: Host): void {
  create(group, host);
  list(group, host);
}
