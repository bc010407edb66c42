import type { Command } from 'commander';
import { create } from '#cli/commands/api-keys/create.ts';
import { list } from '#cli/commands/api-keys/list.ts';
import { revoke } from '#cli/commands/api-keys/revoke.ts';
import type { Host } from '#cli/host.ts';

export function apiKeys(group: Command, host: Host): void {
  create(group, host);
  list(group, host);
  revoke(group, host);
}
