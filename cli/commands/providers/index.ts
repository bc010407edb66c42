import type { Command } from 'commander';
import { create } from '#cli/commands/providers/create.ts';
import { deleteProvider } from '#cli/commands/providers/delete.ts';
import { exportProviders } from '#cli/commands/providers/export.ts';
import { keygen } from '#cli/commands/providers/keygen.ts';
import { list } from '#cli/commands/providers/list.ts';
import { migrate } from '#cli/commands/providers/migrate.ts';
import { preview } from '#cli/commands/providers/preview.ts';
import { show } from '#cli/commands/providers/show.ts';
import { disable, enable } from '#cli/commands/providers/switch.ts';
import { test } from '#cli/commands/providers/test.ts';
import { update } from '#cli/commands/providers/update.ts';
import { urls } from '#cli/commands/providers/urls.ts';
import type { Host } from '#cli/host.ts';

export function providers(group: Command, host: Host): void {
  list(group, host);
  show(group, host);
  create(group, host);
  update(group, host);
  enable(group, host);
  disable(group, host);
  deleteProvider(group, host);
  test(group, host);
  preview(group, host);
  urls(group, host);
  keygen(group, host);
  migrate(group, host);
  exportProviders(group, host);
}
