import type { Command } from 'commander';
import { list } from '#cli/commands/audit/list.ts';
import type { Host } from '#cli/host.ts';

export function audit(group: Command, host: Host): void {
  list(group, host);
}
