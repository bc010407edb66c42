import type { Command } from 'commander';
import { check } from '#cli/commands/config/check.ts';
import { show } from '#cli/commands/config/show.ts';
import type { Host } from '#cli/host.ts';

export function config(group: Command, host: Host): void {
  show(group, host);
  check(group, host);
}
