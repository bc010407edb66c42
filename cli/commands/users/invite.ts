import { type Command, Option } from 'commander';
import { type FamilyOption, familyOption } from '#cli/family-option.ts';
import { examples } from '#cli/help-text.ts';
import type { Host } from '#cli/host.ts';
import { say } from '#cli/io.ts';
import { printResult } from '#cli/render.ts';
import { iso, shortTime } from '#cli/times.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Invited } from '#src/users/invite-user.ts';
import { ROLES } from '#src/users/role.ts';

interface InviteOptions extends FamilyOption {
  role: string;
}

export function invite(users: Command, host: Host): void {
  familyOption(users.command('invite'))
    .summary('let somebody join a family')
    .description(
      'Invites somebody for seven days. Where SMTP_URL is set the link is mailed; else it is printed, alone on stdout, this one time. Inviting again replaces the link.',
    )
    .argument('<email>', 'the address the user will be known by')
    .addOption(
      new Option('--role <role>', 'what the user may do; see financectl help roles')
        .choices(ROLES)
        .default('member'),
    )
    .addHelpText(
      'after',
      examples(
        ['users invite bob@example.com', 'users invite bob@example.com --family Lovelace --role admin'],
        'financectl users invitations, financectl users uninvite',
      ),
    )
    .action((email: string, options: InviteOptions) => runInvite(host, email, options));
}

/** Also what `users create --invite` does. */
export async function runInvite(host: Host, email: string, { role, family }: InviteOptions): Promise<void> {
  const [{ inviteUser }, { findFamily }, { canSendMail }] = await Promise.all([
    import('#src/users/invite-user.ts'),
    import('#src/ledger/find-family.ts'),
    import('#src/mail/send-mail.ts'),
  ]);
  const invited = await host.perform(async (work) => {
    const { id: familyId } = await findFamily(work, family);
    return inviteUser(work, { email, role, familyId });
  });
  const { familyName, expiresAt } = invited;
  say(
    host.io,
    `Invited ${invited.email} to the family "${familyName}" (${role}) until ${shortTime(expiresAt)} UTC`,
  );
  // After a dry run the link opens nothing.
  const isMailed = canSendMail(host.config()) && !host.dryRun;
  if (isMailed) await mailLink(host, invited);
  const link = isMailed || host.dryRun ? null : await linkOf(host, invited);
  if (link) say(host.io, 'Pass this link on: it is shown this once, and whoever has it can join.');
  printResult(
    host,
    {
      id: invited.id,
      email: invited.email,
      role,
      family: familyName,
      expires_at: iso(expiresAt),
      mailed: isMailed,
      link,
    },
    link ?? undefined,
  );
}

async function linkOf(host: Host, { token }: Invited): Promise<string> {
  const { invitationLink } = await import('#src/users/links.ts');
  return invitationLink(host.config().http.appUrl, token);
}

async function mailLink(host: Host, { email, ...facts }: Invited): Promise<void> {
  const [{ sendMail }, { invitationMail }] = await Promise.all([
    import('#src/mail/send-mail.ts'),
    import('#src/users/invitation-mail.ts'),
  ]);
  const { appUrl } = host.config().http;
  try {
    await sendMail(host.config(), { to: email, ...invitationMail({ appUrl, ...facts }) });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, hint } = error;
    throw new AppError(code, `${email} is invited, but has not heard of it: ${message}`, { hint });
  }
  say(host.io, `Mailed the link to ${email}`);
}
