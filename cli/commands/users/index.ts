import type { Command } from 'commander';
import { blocked } from '#cli/commands/users/blocked.ts';
import { create } from '#cli/commands/users/create.ts';
import { deleteUser } from '#cli/commands/users/delete.ts';
import { invitations } from '#cli/commands/users/invitations.ts';
import { invite } from '#cli/commands/users/invite.ts';
import { list } from '#cli/commands/users/list.ts';
import { reactivate } from '#cli/commands/users/reactivate.ts';
import { resetPassword } from '#cli/commands/users/reset-password.ts';
import { role } from '#cli/commands/users/role.ts';
import { sessions } from '#cli/commands/users/sessions.ts';
import { setPassword } from '#cli/commands/users/set-password.ts';
import { show } from '#cli/commands/users/show.ts';
import { suspend } from '#cli/commands/users/suspend.ts';
import { syncRoles } from '#cli/commands/users/sync-roles.ts';
import { unblock } from '#cli/commands/users/unblock.ts';
import { uninvite } from '#cli/commands/users/uninvite.ts';
import { unlink } from '#cli/commands/users/unlink.ts';
import type { Host } from '#cli/host.ts';

export function users(group: Command, host: Host): void {
  list(group, host);
  show(group, host);
  create(group, host);
  invite(group, host);
  invitations(group, host);
  uninvite(group, host);
  suspend(group, host);
  reactivate(group, host);
  role(group, host);
  setPassword(group, host);
  resetPassword(group, host);
  sessions(group, host);
  syncRoles(group, host);
  unlink(group, host);
  deleteUser(group, host);
  blocked(group, host);
  unblock(group, host);
}
