import type { Command } from 'commander';
import { migrate } from '#cli/commands/db/migrate.ts';
import { status } from '#cli/commands/db/status.ts';
import type { Host } from '#cli/host.ts';

export function db(group: Command, host: Host): void {
  migrate(group, host);
  status(group, host);
}
