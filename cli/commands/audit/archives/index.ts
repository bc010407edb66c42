import type { Command } from 'commander';
import { list } from '#cli/commands/audit/archives/list.ts';
import { restore } from '#cli/commands/audit/archives/restore.ts';
import { verify } from '#cli/commands/audit/archives/verify.ts';
import type { Host } from '#cli/host.ts';

export function archives(audit: Command, host: Host): void {
  const group = audit
    .command('archives')
    .summary('list, verify and restore archived days')
    .description('Archived days of the audit log.')
    .helpCommand(false);
  list(group, host);
  verify(group, host);
  restore(group, host);
}
