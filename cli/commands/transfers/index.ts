import type { Command } from 'commander';
import { confirm } from '#cli/commands/transfers/confirm.ts';
import { list } from '#cli/commands/transfers/list.ts';
import { match } from '#cli/commands/transfers/match.ts';
import { reject } from '#cli/commands/transfers/reject.ts';
import { unreject } from '#cli/commands/transfers/unreject.ts';
import type { Host } from '#cli/host.ts';

export function transfers(group: Command, host: Host): void {
  list(group, host);
  match(group, host);
  confirm(group, host);
  reject(group, host);
  unreject(group, host);
}
