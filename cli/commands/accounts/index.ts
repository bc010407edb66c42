import type { Command } from 'commander';
import { create } from '#cli/commands/accounts/create.ts';
import { list } from '#cli/commands/accounts/list.ts';
import { update } from '#cli/commands/accounts/update.ts';
import type { Host } from '#cli/host.ts';

export function accounts(group: Command, host: Host): void {
  create(group, host);
  list(group, host);
  update(group, host);
}
