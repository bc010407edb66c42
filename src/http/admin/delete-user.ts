import type { Router } from '@koa/router';
import { aboutUser } from '#src/http/admin/about-user.ts';
import { deleteUserPage, noDeletionPage } from '#src/http/admin/delete-user-page.ts';
import type { Fields } from '#src/http/fields.ts';
import { type FormRefusal, formRefusal } from '#src/http/form-refusal.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { type Departure, deleteUser, previewDeletion } from '#src/users/delete-user.ts';

/** The email must be typed; the operation compares it. */
export function deleteUserRoutes(router: Router<WebState>, web: Web): void {
  router.get(
    '/admin/users/:id/delete',
    aboutUser(web, (ctx, { id }) => ask(web, ctx, id)),
  );
  router.post(
    '/admin/users/:id/delete',
    aboutUser(web, async (ctx, { id }) => {
      const fields = await web.form(ctx);
      const confirmation = fields.get('confirmation') ?? '';
      try {
        await web.act(ctx, (work) => deleteUser(work, { user: id, confirmation }));
      } catch (error) {
        return ask(web, ctx, id, { fields, ...formRefusal(ctx, error, { forbidden: 'confirmation' }) });
      }
      web.redirect(ctx, '/admin/users', 'user_deleted');
    }),
  );
}

async function ask(
  web: Web,
  ctx: WebContext,
  id: string,
  { fields, status, problems }: Partial<FormRefusal & { fields: Fields }> = {},
): Promise<void> {
  let departure: Departure;
  try {
    departure = await web.act(ctx, (work) => previewDeletion(work, { user: id }));
  } catch (error) {
    const refusal = formRefusal(ctx, error, { forbidden: '' });
    return web.page(ctx, noDeletionPage({ id, problems: refusal.problems }), refusal.status);
  }
  const typed = fields?.get('confirmation');
  web.page(ctx, deleteUserPage({ departure, token: web.token(ctx), typed, problems }), status);
}
