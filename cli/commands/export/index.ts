import type { Command } from 'commander';
import { data } from '#cli/commands/export/data.ts';
import type { Host } from '#cli/host.ts';

export function exports(group: Command, host: Host): void {
  data(group, host);
}
