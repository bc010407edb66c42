import type { Command } from 'commander';
import { create } from '#cli/commands/families/create.ts';
import { list } from '#cli/commands/families/list.ts';
import { update } from '#cli/commands/families/update.ts';
import type { Host } from '#cli/host.ts';

export function families(group: Command, host: Host): void {
  create(group, host);
  list(group, host);
  update(group, host);
}
