import type { Command } from 'commander';
import { check } from '#cli/commands/keys/check.ts';
import { generate } from '#cli/commands/keys/generate.ts';
import { rotate } from '#cli/commands/keys/rotate.ts';
import type { Host } from '#cli/host.ts';

export function keys(group: Command, host: Host): void {
  generate(group, host);
  check(group, host);
  rotate(group, host);
}
