import type { Command } from 'commander';
import { archive } from '#cli/commands/audit/archive.ts';
import { archives } from '#cli/commands/audit/archives/index.ts';
import { exportAudit } from '#cli/commands/audit/export.ts';
import { failures } from '#cli/commands/audit/failures.ts';
import { list } from '#cli/commands/audit/list.ts';
import { prune } from '#cli/commands/audit/prune.ts';
import { retention } from '#cli/commands/audit/retention.ts';
import type { Host } from '#cli/host.ts';

export function audit(group: Command, host: Host): void {
  list(group, host);
  exportAudit(group, host);
  failures(group, host);
  archive(group, host);
  prune(group, host);
  retention(group, host);
  archives(group, host);
}
