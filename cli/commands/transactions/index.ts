import type { Command } from 'commander';
import { list } from '#cli/commands/transactions/list.ts';
import { show } from '#cli/commands/transactions/show.ts';
import type { Host } from '#cli/host.ts';

export function transactions(group: Command, host: Host): void {
  list(group, host);
  show(group, host);
}
