import type { Router, RouterContext } from '@koa/router';
import { loginPolicy } from '#src/http/admin/about-provider.ts';
import { aboutUser } from '#src/http/admin/about-user.ts';
import { formRefusal } from '#src/http/form-refusal.ts';
import { html } from '#src/http/html.ts';
import { ROLE_LABELS } from '#src/http/web/labels.ts';
import type { Page } from '#src/http/web/layout.ts';
import { minute } from '#src/http/web/markup.ts';
import type { WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { AppError, notFound } from '#src/kernel/errors.ts';
import { disconnectUser } from '#src/sso/identities/disconnect-user.ts';
import { type SyncedRole, syncRoles } from '#src/sso/roles/sync-roles.ts';

/** What an administrator can do about a user's accounts at identity providers. */
export function userIdentityRoutes(router: Router<WebState>, web: Web): void {
  router.post(
    '/admin/users/:id/sync_roles',
    aboutUser(web, async (ctx, { id, admin }) => {
      await web.form(ctx);
      const federation = await web.federation.open();
      try {
        const synced = await syncRoles(federation, (task) => web.act(ctx, task), { user: id, ask: true });
        // Who is no super admin any more is told with the pages of everybody.
        if (id === admin.userId && synced.new !== 'super_admin')
          return web.redirect(ctx, '/settings/security');
        web.page(ctx, syncedPage(synced));
      } catch (error) {
        const refusals = { conflict: '', service_unavailable: '' };
        const { status, problems } = formRefusal(ctx, error, refusals);
        web.page(ctx, { title: 'Sync roles', problems, body: backTo(id) }, status);
      }
    }),
  );
  router.post('/admin/users/:id/identities/:identity/disconnect', (ctx: RouterContext<WebState>) => {
    const { identity: identityId = '' } = ctx.params;
    return aboutUser(web, async (_, { id, admin: { sessionId } }) => {
      await web.form(ctx);
      const { source } = await web.federation.open();
      const entries = await source.list();
      const disconnection = { user: id, identityId, sessionId, entries, policy: loginPolicy(web) };
      try {
        await web.act(ctx, (work) => disconnectUser(work, disconnection));
      } catch (error) {
        if (error instanceof AppError && error.code === 'not_found') throw notFound('Connected account');
        const { status, problems } = formRefusal(ctx, error, { forbidden: '' });
        return web.page(ctx, { title: 'Disconnect an account', problems, body: backTo(id) }, status);
      }
      web.redirect(ctx, `/admin/users/${id}`, 'user_disconnected');
    })(ctx);
  });
}

function backTo(id: string) {
  return html`<p><a href="/admin/users/${id}">Back to the user</a></p>`;
}

function syncedPage(synced: SyncedRole): Page {
  const { userId, email, provider, from, groups, saidAt, old } = synced;
  return {
    title: `Roles of ${email}`,
    body: html`<p class="notice" role="status">${outcome(synced)}</p>
<dl class="facts">
<dt>Role before</dt><dd>${ROLE_LABELS[old]}</dd>
<dt>Role now</dt><dd>${ROLE_LABELS[synced.new]}</dd>
<dt>Provider</dt><dd>${provider}</dd>
<dt>Groups</dt><dd>${groups === null || groups.length === 0 ? 'None' : groups.join(', ')}</dd>
<dt>Said</dt><dd>${
      from === 'provider'
        ? 'Just now: the provider was asked again'
        : html`At the last sign-in${saidAt && html`, ${minute(saidAt)} UTC`}: the provider cannot be asked without the user`
    }</dd>
</dl>
${backTo(userId)}`,
  };
}

function outcome({ old, new: now, kept }: SyncedRole): string {
  if (kept) return 'The role stays: this is the last active super admin.';
  return old === now
    ? 'Nothing changed: the role is what it should be.'
    : `The role is changed: ${ROLE_LABELS[old]} → ${ROLE_LABELS[now]}.`;
}
