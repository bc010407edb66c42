import type { Command } from 'commander';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { type Column, listOptions, printList } from '#cli/render.ts';
import { iso, shortTime } from '#cli/times.ts';
import type { InvitationRow } from '#src/users/list-invitations.ts';

const COLUMNS: Column<InvitationRow>[] = [
  { key: 'email', value: ({ email }) => email },
  { key: 'role', value: ({ role }) => role },
  { key: 'family', value: ({ familyName }) => familyName },
  { key: 'family_id', value: ({ familyId }) => familyId, detail: true },
  { key: 'invited_by', value: ({ inviterEmail }) => inviterEmail },
  {
    key: 'created_at',
    header: 'CREATED',
    value: ({ createdAt }) => iso(createdAt),
    text: ({ createdAt }) => shortTime(createdAt),
  },
  {
    key: 'expires_at',
    header: 'EXPIRES',
    value: ({ expiresAt }) => iso(expiresAt),
    text: ({ expiresAt, isExpired }) => (isExpired ? 'expired' : shortTime(expiresAt)),
  },
  { key: 'expired', value: ({ isExpired }) => isExpired, detail: true },
  { key: 'id', value: ({ id }) => id, detail: true },
];

export function invitations(users: Command, host: Host): void {
  listOptions(users.command('invitations'))
    .summary('show who is invited and has not come yet')
    .description('Shows pending invitations by email; the links themselves are stored nowhere.')
    .addHelpText(
      'after',
      examples(['users invitations'], 'financectl users invite, financectl users uninvite'),
    )
    .action((options: { header: boolean }) => runInvitations(host, options));
}

async function runInvitations(host: Host, options: { header: boolean }): Promise<void> {
  const { listInvitations } = await import('#src/users/list-invitations.ts');
  const rows = await host.read(listInvitations);
  await printList(host, options, { rows, columns: COLUMNS, empty: 'Nobody is invited' });
}
