import type { Router } from '@koa/router';
import { invitationsPage } from '#src/http/admin/invitations-page.ts';
import { type Fields, requireField } from '#src/http/fields.ts';
import { type FormRefusal, formRefusal, unprocessable } from '#src/http/form-refusal.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError, notFound } from '#src/kernel/errors.ts';
import { isUuid } from '#src/kernel/uuid.ts';
import { listFamilies } from '#src/ledger/list-families.ts';
import { canSendMail, sendMail } from '#src/mail/send-mail.ts';
import { invitationMail } from '#src/users/invitation-mail.ts';
import { type Invited, inviteUser } from '#src/users/invite-user.ts';
import { invitationLink } from '#src/users/links.ts';
import { listInvitations } from '#src/users/list-invitations.ts';
import { withdrawInvitation } from '#src/users/withdraw-invitation.ts';

const PATH = '/admin/users/invitations';

/** Who is invited, inviting, and taking it back. */
export function invitationRoutes(router: Router<WebState>, web: Web): void {
  router.get(
    PATH,
    web.forSuperAdmins((ctx) => show(web, ctx)),
  );
  router.post(
    PATH,
    web.forSuperAdmins((ctx) => invite(web, ctx)),
  );
  router.post(`${PATH}/:id/withdraw`, (ctx) => {
    const { id = '' } = ctx.params;
    return web.forSuperAdmins(async () => {
      await web.form(ctx);
      await withdraw(web, ctx, id);
    })(ctx);
  });
}

async function invite(web: Web, ctx: WebContext): Promise<void> {
  const fields = await web.form(ctx);
  let invited: Invited;
  try {
    const wanted = {
      email: requireField(fields, 'email'),
      familyId: requireField(fields, 'family'),
      role: requireField(fields, 'role'),
    };
    invited = await web.act(ctx, (work) => inviteUser(work, wanted));
  } catch (error) {
    return show(web, ctx, { fields, ...refusalOf(ctx, error) });
  }
  await deliver(web, ctx, invited);
}

async function withdraw(web: Web, ctx: WebContext, id: string): Promise<void> {
  try {
    if (!isUuid(id)) throw notFound('Invitation');
    await web.act(ctx, (work) => withdrawInvitation(work, { invitation: id }));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    const message = 'This invitation is not there any more: it has been accepted or withdrawn.';
    return show(web, ctx, { status: 404, problems: [{ message }] });
  }
  web.redirect(ctx, PATH, 'invitation_withdrawn');
}

/** By mail; where that does not work the link is shown, this once. */
async function deliver(web: Web, ctx: WebContext, invited: Invited): Promise<void> {
  const { config } = web.runtime;
  const { appUrl } = config.http;
  const handOver = { email: invited.email, link: invitationLink(appUrl, invited.token) };
  if (!canSendMail(config)) return show(web, ctx, { handOver });
  try {
    await sendMail(config, { to: invited.email, ...invitationMail({ appUrl, ...invited }) });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return show(web, ctx, { handOver, problems: [{ message: `${error.message}.` }] });
  }
  web.redirect(ctx, PATH, 'user_invited');
}

interface Shown extends Partial<FormRefusal> {
  fields?: Fields;
  handOver?: { email: string; link: string };
}

async function show(web: Web, ctx: WebContext, { status, ...shown }: Shown = {}): Promise<void> {
  const known = await web.act(ctx, async (work) => ({
    invitations: await listInvitations(work),
    families: await listFamilies(work),
  }));
  web.page(ctx, invitationsPage({ ...known, ...shown, token: web.token(ctx) }), status);
}

/** A family that is not there is a mistake in the form, not a wrong address. */
function refusalOf(ctx: WebContext, error: unknown): FormRefusal {
  if (error instanceof AppError && error.code === 'not_found') {
    return unprocessable([{ message: 'There is no such family', field: 'family' }]);
  }
  return formRefusal(ctx, error, { validation_failed: 'email' });
}
