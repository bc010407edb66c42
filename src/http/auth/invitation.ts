import type { Router } from '@koa/router';
import { admitInvited } from '#src/auth/admit-invited.ts';
import { localLogin } from '#src/auth/local-login.ts';
import { deadInvitationPage, invitationPage } from '#src/http/auth/invitation-page.ts';
import { readNewPassword } from '#src/http/auth/new-password.ts';
import type { Fields } from '#src/http/fields.ts';
import { type FormRefusal, formRefusal, problemOf, unprocessable } from '#src/http/form-refusal.ts';
import { enterSession } from '#src/http/web/session.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError } from '#src/kernel/errors.ts';
import { requireText } from '#src/kernel/text.ts';
import { lookUpInvitation } from '#src/users/look-up-invitation.ts';

const PATH = '/invitation';
const NAMES = [
  { field: 'first_name', what: 'the first name' },
  { field: 'last_name', what: 'the last name' },
] as const;

/** How an invited person joins their family. */
export function invitationRoutes(router: Router<WebState>, web: Web): void {
  router.get(PATH, (ctx) => show(web, ctx, { token: String(ctx.query.token ?? '') }));
  router.post(PATH, (ctx) => accept(web, ctx));
}

interface Shown {
  token: string;
  fields?: Fields;
  refusal?: FormRefusal;
}

async function show(web: Web, ctx: WebContext, { token, fields, refusal }: Shown): Promise<void> {
  const invitation = await web.act(ctx, (work) => lookUpInvitation(work, { token }));
  if (!invitation) return web.page(ctx, deadInvitationPage(), 404);
  const page = invitationPage({
    invitation,
    withPassword: localLogin(web.runtime.config.auth) === 'everybody',
    signedInAs: ctx.state.signedIn?.email,
    secret: token,
    token: web.token(ctx),
    fields: fields ?? new Map(),
    problems: refusal?.problems ?? [],
  });
  web.page(ctx, page, refusal?.status);
}

async function accept(web: Web, ctx: WebContext): Promise<void> {
  const fields = await web.form(ctx);
  const token = fields.get('token') ?? '';
  if (localLogin(web.runtime.config.auth) !== 'everybody') {
    return show(web, ctx, { token, refusal: { status: 403, problems: [] } });
  }
  const refuse = (refusal: FormRefusal) => show(web, ctx, { token, fields, refusal });
  const { password, problems: about } = readNewPassword(fields);
  const problems = [...nameProblems(fields), ...about];
  if (problems.length > 0) return refuse(unprocessable(problems));

  const { lifetimeHours } = web.runtime.config.session;
  const [firstName, lastName] = NAMES.map(({ field }) => fields.get(field)?.trim() || undefined);
  let session: string;
  try {
    session = await web.act(ctx, (work) =>
      admitInvited(work, { token, firstName, lastName, password, lifetimeHours }),
    );
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return show(web, ctx, { token });
    return refuse(formRefusal(ctx, error, { validation_failed: 'new_password' }));
  }
  await enterSession(ctx, session);
  web.redirect(ctx, '/');
}

function nameProblems(fields: Fields) {
  return NAMES.flatMap(({ field, what }) => {
    const name = fields.get(field)?.trim() ?? '';
    return name === '' ? [] : problemOf(field, () => requireText(what, name, 100));
  });
}
