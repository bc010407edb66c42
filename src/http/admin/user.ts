import type { Router } from '@koa/router';
import { listSessions } from '#src/auth/list-sessions.ts';
import type { SignedIn } from '#src/auth/look-up-session.ts';
import { aboutUser } from '#src/http/admin/about-user.ts';
import { userPage } from '#src/http/admin/user-page.ts';
import { type Fields, requireField } from '#src/http/fields.ts';
import { type FormRefusal, formRefusal } from '#src/http/form-refusal.ts';
import { offerProviders } from '#src/http/sso/offer-providers.ts';
import type { Notice } from '#src/http/web/notices.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import type { ErrorCode } from '#src/kernel/errors.ts';
import type { Work } from '#src/kernel/work.ts';
import { listIdentities } from '#src/sso/identities/list-identities.ts';
import { changeRole } from '#src/users/change-role.ts';
import { findUserRow } from '#src/users/find-user-row.ts';
import { reactivateUser } from '#src/users/reactivate-user.ts';
import { revokeSessions } from '#src/users/revoke-sessions.ts';
import { suspendUser } from '#src/users/suspend-user.ts';

interface Change {
  /** The last part of the path. */
  name: string;
  run: (work: Work, change: { user: string; fields: Fields }) => Promise<unknown>;
  notice: Notice;
  /** The input that each refusal is about; empty when it is about no input. */
  refusals: Partial<Record<ErrorCode, string>>;
}

const CHANGES: readonly Change[] = [
  {
    name: 'suspend',
    run: (work, { user, fields }) =>
      suspendUser(work, { user, reason: fields.get('reason')?.trim() || undefined }),
    notice: 'user_suspended',
    refusals: { forbidden: '', conflict: '' },
  },
  {
    name: 'reactivate',
    run: (work, { user }) => reactivateUser(work, { user }),
    notice: 'user_reactivated',
    refusals: { conflict: '' },
  },
  {
    name: 'role',
    run: (work, { user, fields }) =>
      changeRole(work, {
        user,
        role: requireField(fields, 'role'),
        reason: fields.get('role_reason')?.trim() || undefined,
      }),
    notice: 'role_saved',
    refusals: { forbidden: 'role', validation_failed: 'role' },
  },
  {
    name: 'end_sessions',
    run: (work, { user }) => revokeSessions(work, { user }),
    notice: 'user_signed_out',
    refusals: {},
  },
];

/** One user, and what can be done about them. */
export function userRoutes(router: Router<WebState>, web: Web): void {
  router.get(
    '/admin/users/:id',
    aboutUser(web, (ctx, { id }) => show(web, ctx, id)),
  );
  for (const { name, run, notice, refusals } of CHANGES) {
    router.post(
      `/admin/users/:id/${name}`,
      aboutUser(web, async (ctx, { id, admin }) => {
        const fields = await web.form(ctx);
        try {
          await web.act(ctx, (work) => run(work, { user: id, fields }));
        } catch (error) {
          return show(web, ctx, id, { fields, ...formRefusal(ctx, error, refusals) });
        }
        web.redirect(ctx, pageAfter(id, { admin, fields }), notice);
      }),
    );
  }
}

/** Super admins who give up their role may not come back here. */
function pageAfter(id: string, { admin, fields }: { admin: SignedIn; fields: Fields }): string {
  const leaves = id === admin.userId && (fields.get('role') ?? admin.role) !== 'super_admin';
  return leaves ? '/settings/security' : `/admin/users/${id}`;
}

async function show(
  web: Web,
  ctx: WebContext,
  id: string,
  { fields, status, problems }: Partial<FormRefusal & { fields: Fields }> = {},
): Promise<void> {
  const { idleMinutes } = web.runtime.config.session;
  const known = await web.act(ctx, async (work) => ({
    user: await findUserRow(work, { user: id, idleMinutes }),
    sessions: await listSessions(work, { userId: id, idleMinutes }),
    identities: await listIdentities(work, id),
  }));
  const { entries } = await offerProviders(web);
  const nameOf = (provider: string) => entries.find((entry) => entry.id === provider)?.name ?? provider;
  const isSelf = ctx.state.signedIn?.userId === id;
  web.page(ctx, userPage({ ...known, nameOf, isSelf, token: web.token(ctx), fields, problems }), status);
}
