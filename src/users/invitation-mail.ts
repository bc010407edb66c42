import { invitationLink } from '#src/users/links.ts';

interface InvitationFacts {
  appUrl: string;
  token: string;
  familyName: string;
  expiresAt: Date;
}

/** What an invited person reads. */
export function invitationMail({ appUrl, token, familyName, expiresAt }: InvitationFacts): {
  subject: string;
  text: string;
} {
  const until = expiresAt.toISOString().slice(0, 16).replace('T', ' ');
  return {
    subject: 'You are invited to share the family finances',
    text: `You are invited to join the family "${familyName}".

To accept, open this link and choose a password:
${invitationLink(appUrl, token)}

The link works once, until ${until} UTC. If you did not expect this, do nothing.
`,
  };
}
