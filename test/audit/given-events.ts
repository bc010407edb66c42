import { randomUUID } from 'node:crypto';
import type { Harness } from '#test/support/database.ts';

export interface GivenEvent {
  id?: string;
  /** Default: the beginning of March 2026. */
  created_at?: string;
  event_type?: string;
  user_id?: string | null;
  actor_id?: string | null;
  provider?: string | null;
  ip_address?: string | null;
  user_agent?: string | null;
  request_id?: string | null;
  metadata?: Record<string, unknown>;
}

const INSERT = `insert into audit_events (id, created_at, event_type, user_id, actor_id, actor_kind, provider,
  ip_address, user_agent, metadata, request_id)
select id, created_at, event_type, user_id, actor_id, 'web', provider, ip_address, user_agent, metadata, request_id
from json_populate_recordset(null::audit_events, $1::json)`;

/** Events as they could have been recorded, in one statement. Answers with their ids. */
export async function givenEvents(
  { query }: Pick<Harness, 'query'>,
  events: readonly GivenEvent[],
): Promise<string[]> {
  const all = events.map((event) => ({
    id: randomUUID(),
    created_at: '2026-03-01T00:00:00Z',
    event_type: 'login',
    metadata: {},
    ...event,
  }));
  await query(INSERT, [JSON.stringify(all)]);
  return all.map(({ id }) => id);
}

/** So many events about one user, a second apart. */
export async function givenSeries(
  { query }: Pick<Harness, 'query'>,
  userId: string,
  count: number,
): Promise<void> {
  await query(
    `insert into audit_events (id, created_at, event_type, user_id, actor_kind, metadata, request_id)
     select gen_random_uuid(), timestamptz '2026-03-01' + n * interval '1 second', 'login', $1, 'web', '{}', n::text
     from generate_series(1, $2::integer) n`,
    [userId, count],
  );
}
