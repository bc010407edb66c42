import type { Command } from 'commander';
import { failures } from '#cli/commands/audit/failures.ts';
import { list } from '#cli/commands/audit/list.ts';
import type { Host } from '#cli/host.ts';

export function audit(group: Command, host: Host): void {
  list(group, host);
  failures(group, host);
}
