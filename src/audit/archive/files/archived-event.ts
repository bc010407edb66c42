import type { Actor } from '#src/kernel/work.ts';

/** An event as an archive holds it: a row of the log, and nothing of the people it names but their ids. */
export interface ArchivedEvent {
  id: string;
  /** ISO 8601, to the microsecond: `2026-08-01T12:00:00.123456+00:00`. */
  created_at: string;
  event_type: string;
  user_id: string | null;
  actor_id: string | null;
  actor_kind: Actor['kind'];
  provider: string | null;
  ip_address: string | null;
  user_agent: string | null;
  metadata: Record<string, unknown>;
  request_id: string | null;
}

/** The keys of a line, in the order in which they stand there; the id comes first. */
export const ARCHIVED_COLUMNS =
  'id, created_at, event_type, user_id, actor_id, actor_kind, provider, ip_address, user_agent, metadata, request_id';
