import type { Command } from 'commander';
import { create } from '#cli/commands/users/create.ts';
import { deleteUser } from '#cli/commands/users/delete.ts';
import { list } from '#cli/commands/users/list.ts';
import { reactivate } from '#cli/commands/users/reactivate.ts';
import { role } from '#cli/commands/users/role.ts';
import { setPassword } from '#cli/commands/users/set-password.ts';
import { suspend } from '#cli/commands/users/suspend.ts';
import type { Host } from '#cli/host.ts';

export function users(group: Command, host: Host): void {
  create(group, host);
  list(group, host);
  suspend(group, host);
  reactivate(group, host);
  role(group, host);
  setPassword(group, host);
  deleteUser(group, host);
}
