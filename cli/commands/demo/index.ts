import type { Command } from 'commander';
import { clear } from '#cli/commands/demo/clear.ts';
import { load } from '#cli/commands/demo/load.ts';
import type { Host } from '#cli/host.ts';

export function demo(group: Command, host: Host): void {
  load(group, host);
  clear(group, host);
}
