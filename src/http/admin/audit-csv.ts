import { Readable } from 'node:stream';
import { AUDIT_FIELDS } from '#src/audit/audit-fields.ts';
import type { AuditFilter } from '#src/audit/audit-row.ts';
import { recordAuditExport } from '#src/audit/export/record-audit-export.ts';
import { type AuditPage, listAuditEvents } from '#src/audit/list-audit-events.ts';
import type { WebContext } from '#src/http/web/state.ts';
import type { Web } from '#src/http/web/web.ts';
import { type CsvValue, csvRecord } from '#src/kernel/csv.ts';

/** Events held in memory at a time, however many there are. */
const BATCH = 500;

type ReadBatch = (cursor?: string) => Promise<AuditPage>;

/**
 * Answers with all events of the filter as CSV (RFC 4180), newest first. Each batch is a unit of work of its own: a
 * slow reader holds no connection to the database, and no event is missed or doubled, because new ones come in front.
 */
export async function sendAuditCsv(ctx: WebContext, web: Web, filter: AuditFilter): Promise<void> {
  const readBatch: ReadBatch = (cursor) =>
    web.act(ctx, (work) => listAuditEvents(work, { ...filter, limit: BATCH, cursor }));
  // What fails now can still be said.
  const first = await web.act(ctx, (work) => {
    recordAuditExport(work, { format: 'csv', filter });
    return listAuditEvents(work, { ...filter, limit: BATCH });
  });

  const day = web.runtime.now().toISOString().slice(0, 10);
  ctx.status = 200;
  ctx.res.setHeader('Content-Type', 'text/csv; charset=utf-8; header=present');
  ctx.res.setHeader('Content-Disposition', `attachment; filename="audit-log-${day}.csv"`);
  ctx.body = Readable.from(records(first, readBatch), { objectMode: false });
}

async function* records(first: AuditPage, readBatch: ReadBatch): AsyncGenerator<string> {
  yield line(AUDIT_FIELDS.map(({ key }) => key));
  for (let batch = first; ; batch = await readBatch(batch.next)) {
    for (const row of batch.items) yield line(AUDIT_FIELDS.map(({ value }) => value(row)));
    if (batch.next === undefined) return;
  }
}

function line(values: readonly CsvValue[]): string {
  return `${csvRecord(values)}\r\n`;
}
