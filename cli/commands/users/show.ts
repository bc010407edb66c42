import type { Command } from 'commander';
import { USER_ROW_COLUMNS } from '#cli/commands/users/columns.ts';
import { SESSION_COLUMNS } from '#cli/commands/users/session-columns.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { presentRow, printFields } from '#cli/render.ts';
import { shortTime } from '#cli/times.ts';
import type { SessionRow } from '#src/auth/list-sessions.ts';
import type { UserRow } from '#src/users/user-row.ts';

export function show(users: Command, host: Host): void {
  users
    .command('show')
    .summary('show everything about somebody')
    .description('Shows a user with family, ways to sign in, sessions and keys.')
    .argument('<user>', 'email or id')
    .addHelpText(
      'after',
      examples(['users show ada@example.com'], 'financectl users sessions, financectl audit list --user'),
    )
    .action((user: string) => runShow(host, user));
}

async function runShow(host: Host, reference: string): Promise<void> {
  const [{ findUserRow }, { listSessions }] = await Promise.all([
    import('#src/users/find-user-row.ts'),
    import('#src/auth/list-sessions.ts'),
  ]);
  const { idleMinutes } = host.config().session;
  const { user, sessions } = await host.read(async (work) => {
    const user = await findUserRow(work, { user: reference, idleMinutes });
    return { user, sessions: await listSessions(work, { userId: user.id, idleMinutes }) };
  });
  const { email } = user;
  printFields(host, fields(user, sessions), {
    ...presentRow(USER_ROW_COLUMNS, user),
    sessions: sessions.map((session) => presentRow(SESSION_COLUMNS, { ...session, email })),
  });
}

function fields(user: UserRow, sessions: readonly SessionRow[]): [label: string, value: string | number][] {
  const name = [user.firstName, user.lastName].filter(Boolean).join(' ');
  return [
    ['email', user.email],
    ['name', name || '-'],
    ['role', user.role],
    ['status', user.suspendedAt ? `suspended since ${shortTime(user.suspendedAt)}` : 'active'],
    ['family', `${user.familyName} (${user.familyId})`],
    ['password', user.hasPassword ? 'yes' : 'no'],
    ['API keys', user.apiKeys],
    ['last sign-in', shortTime(user.lastSignInAt, 'never')],
    ['created', shortTime(user.createdAt)],
    ['id', user.id],
    ['sessions', sessions.length],
    ...sessions.map((session): [string, string] => ['', describe(session)]),
  ];
}

function describe({ ipAddress, userAgent, lastSeenAt }: SessionRow): string {
  return `last seen ${shortTime(lastSeenAt)} from ${ipAddress ?? 'nowhere known'}, ${userAgent ?? 'no browser named'}`;
}
