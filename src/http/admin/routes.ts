import type { Router } from '@koa/router';
import { auditRoutes } from '#src/http/admin/audit.ts';
import { blockedIdentityRoutes } from '#src/http/admin/blocked-identities.ts';
import { deleteUserRoutes } from '#src/http/admin/delete-user.ts';
import { invitationRoutes } from '#src/http/admin/invitations.ts';
import { examineRoutes } from '#src/http/admin/sso-examine.ts';
import { providerRoutes } from '#src/http/admin/sso-provider.ts';
import { providersRoutes } from '#src/http/admin/sso-providers.ts';
import { samlProviderRoutes } from '#src/http/admin/sso-saml.ts';
import { userRoutes } from '#src/http/admin/user.ts';
import { userIdentityRoutes } from '#src/http/admin/user-identities.ts';
import { usersRoutes } from '#src/http/admin/users.ts';
import type { WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';

/** What super admins alone may see (specification, Roles and access). */
export function adminRoutes(router: Router<WebState>, web: Web): void {
  router.get(
    '/admin',
    web.forSuperAdmins(async (ctx) => web.redirect(ctx, '/admin/users')),
  );
  usersRoutes(router, web);
  // Before the users, or they would be taken for the id of one.
  invitationRoutes(router, web);
  blockedIdentityRoutes(router, web);
  userRoutes(router, web);
  userIdentityRoutes(router, web);
  deleteUserRoutes(router, web);
  providersRoutes(router, web);
  providerRoutes(router, web);
  samlProviderRoutes(router, web);
  examineRoutes(router, web);
  auditRoutes(router, web);
}
