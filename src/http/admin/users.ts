import type { Router } from '@koa/router';
import { type Query, readQuery } from '#src/http/admin/query.ts';
import { USER_FILTERS, usersPage } from '#src/http/admin/users-page.ts';
import { readPageRequest } from '#src/http/api/pagination.ts';
import { type FormRefusal, formRefusal, unprocessable } from '#src/http/form-refusal.ts';
import { offerProviders } from '#src/http/sso/offer-providers.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import type { Page } from '#src/kernel/page.ts';
import { isUuid } from '#src/kernel/uuid.ts';
import { listFamilies } from '#src/ledger/list-families.ts';
import { listUsers, SIGN_IN_METHODS } from '#src/users/list-users.ts';
import type { UserRow } from '#src/users/user-row.ts';

/** Everybody, filtered by what the address says. */
export function usersRoutes(router: Router<WebState>, web: Web): void {
  router.get(
    '/admin/users',
    web.forSuperAdmins(async (ctx) => {
      const query = readQuery(ctx, [...USER_FILTERS, 'page']);
      const family = query.fields.get('family');
      if (family !== undefined && !isUuid(family)) {
        query.problems.push({ message: 'The family must be given by its id', field: 'family' });
      }

      const families = await web.act(ctx, listFamilies);
      const { entries: providers } = await offerProviders(web);
      const { users, refusal } = await findMatching(web, ctx, query, providers);
      web.page(
        ctx,
        usersPage({ users, families, providers, fields: query.fields, problems: refusal?.problems }),
        refusal?.status,
      );
    }),
  );
}

async function findMatching(
  web: Web,
  ctx: WebContext,
  { fields, problems }: Query,
  providers: readonly { id: string; name: string }[],
): Promise<{ users?: Page<UserRow>; refusal?: FormRefusal }> {
  if (problems.length > 0) return { refusal: unprocessable(problems) };
  const method = fields.get('method');
  const isOwn = SIGN_IN_METHODS.some((each) => each === method);
  const provider = isOwn ? undefined : providers.find(({ name }) => name === method);
  const filter = {
    search: fields.get('search'),
    role: fields.get('role'),
    status: fields.get('status'),
    familyId: fields.get('family'),
    ...(provider ? { identityProvider: provider.id } : { method }),
    ...readPageRequest({ page: fields.get('page') }),
  };
  try {
    return { users: await web.act(ctx, (work) => listUsers(work, filter)) };
  } catch (error) {
    return { refusal: formRefusal(ctx, error, { validation_failed: '' }) };
  }
}
