import type { Router } from '@koa/router';
import type { AuditFilter } from '#src/audit/audit-row.ts';
import { type AuditPage, listAuditEvents } from '#src/audit/list-audit-events.ts';
import { sendAuditCsv } from '#src/http/admin/audit-csv.ts';
import { auditPage } from '#src/http/admin/audit-page.ts';
import { AUDIT_FILTERS, toAuditFilter } from '#src/http/admin/audit-query.ts';
import { type Query, readQuery } from '#src/http/admin/query.ts';
import { formRefusal } from '#src/http/form-refusal.ts';
import type { Problem } from '#src/http/web/layout.ts';
import type { WebContext, WebState } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import type { Work } from '#src/kernel/work.ts';

const ON_A_PAGE = 25;

/** The audit log, as a page and as a file. */
export function auditRoutes(router: Router<WebState>, web: Web): void {
  router.get(
    '/admin/sso_audit_logs',
    web.forSuperAdmins(async (ctx) => {
      const query = readQuery(ctx, [...AUDIT_FILTERS, 'cursor']);
      const { events, problems } = await web.act(ctx, (work) => read(work, ctx, query));
      show(web, ctx, query, { events, problems });
    }),
  );
  router.get(
    '/admin/sso_audit_logs.csv',
    web.forSuperAdmins(async (ctx) => {
      const query = readQuery(ctx, AUDIT_FILTERS);
      const { filter, problems } = await web.act(ctx, (work) => understand(work, query));
      if (problems.length > 0) show(web, ctx, query, { problems });
      else await sendAuditCsv(ctx, web, filter);
    }),
  );
}

interface Found {
  events?: AuditPage | undefined;
  problems: Problem[];
}

async function read(work: Work, ctx: WebContext, query: Query): Promise<Found> {
  const { filter, problems } = await understand(work, query);
  if (problems.length > 0) return { problems };
  const cursor = query.fields.get('cursor');
  try {
    return { events: await listAuditEvents(work, { ...filter, limit: ON_A_PAGE, cursor }), problems };
  } catch (error) {
    return formRefusal(ctx, error, { validation_failed: '' });
  }
}

async function understand(work: Work, query: Query): Promise<{ filter: AuditFilter; problems: Problem[] }> {
  if (query.problems.length > 0) return { filter: {}, problems: query.problems };
  return toAuditFilter(work, query.fields);
}

function show(web: Web, ctx: WebContext, { fields }: Query, { events, problems }: Found): void {
  web.page(ctx, auditPage({ events, fields, problems }), problems.length > 0 ? 422 : 200);
}
