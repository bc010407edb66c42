import { setTimeout as wait } from 'node:timers/promises';
import { AUDIT_COLUMNS, presentAuditRow } from '#cli/commands/audit/columns.ts';
import type { Host } from '#cli/host.ts';
import { growingList } from '#cli/render.ts';
import type { AuditFilter } from '#src/audit/audit-row.ts';
import type { AuditSnapshot } from '#src/audit/list-unseen-audit-events.ts';

const PAUSE = 1_000;

/** Prints the newest `limit` events, then every new one, until it is interrupted or nobody reads any more. */
export async function follow(
  host: Host,
  options: { header: boolean; limit: number },
  filter: AuditFilter,
): Promise<void> {
  const { listUnseenAuditEvents } = await import('#src/audit/list-unseen-audit-events.ts');
  const printMore = growingList(host, options, { columns: AUDIT_COLUMNS, present: presentAuditRow });
  // What is written to a pipe that nobody reads any more comes back as an error; stdout itself stays open.
  const gone = new AbortController();
  host.io.results.once?.('error', () => gone.abort());

  let seen: AuditSnapshot | undefined;
  while (!gone.signal.aborted) {
    const limit = seen ? undefined : options.limit;
    const unseen = await host.read((work) => listUnseenAuditEvents(work, { ...filter, seen, limit }));
    seen = unseen.seen;
    await printMore(unseen.items);
    await wait(PAUSE, undefined, { signal: host.signal });
  }
}
