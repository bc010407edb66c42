import type { Work } from '#src/kernel/work.ts';

/** What failed sign-ins have in common. */
export interface FailureGroup {
  kind: 'account' | 'address' | 'provider';
  /**
   * The account's email (its id when it has gone and no email was typed), or the email that was typed for nobody;
   * the address; or the provider, `local` for a password.
   */
  value: string;
  failures: number;
  /** How many failed for which reason, most first. */
  reasons: Record<string, number>;
  /** When the newest of them happened. */
  last: Date;
}

export interface FailureRequest {
  /** Inclusive. */
  since: Date;
  /** At most this many of each kind. */
  limit: number;
}

export interface FailureSummary {
  /** Kind by kind, and in each the most failures first. */
  groups: FailureGroup[];
  /** Whether the limit has left some out. */
  more: boolean;
}

/** One group more than asked for tells whether there are more. */
const SUMMARIZE = `with failed as (
  select e.created_at, e.ip_address,
    coalesce(e.provider, 'local') as provider,
    coalesce(u.email, lower(nullif(e.metadata ->> 'email', '')), e.user_id::text) as account,
    coalesce(e.metadata ->> 'reason', 'unknown') as reason
  from audit_events e left join users u on u.id = e.user_id
  where e.event_type = 'login_failed' and e.created_at >= $1::timestamptz
), counted as (
  select side.kind, side.value, reason, count(*) as failures, max(created_at) as last
  from failed cross join lateral (
    values ('account', account), ('address', ip_address), ('provider', provider)
  ) as side (kind, value)
  where side.value is not null
  group by side.kind, side.value, reason
), summed as (
  select kind, value, sum(failures)::integer as failures, max(last) as last,
    json_object_agg(reason, failures order by failures desc, reason) as reasons
  from counted group by kind, value
), ranked as (
  select *, row_number() over (partition by kind order by failures desc, last desc, value) as place from summed
)
select kind, value, failures, reasons, last, place > $2 as beyond from ranked
where place <= $2 + 1 order by kind, place`;

type Row = Omit<FailureGroup, 'last'> & { last: string; beyond: boolean };

/** Sums the failed sign-ins of the audit log by account, by address and by provider (decisions, section 4). */
export async function summarizeFailures(
  work: Work,
  { since, limit }: FailureRequest,
): Promise<FailureSummary> {
  const rows = await work.sql<Row>(SUMMARIZE, [since.toISOString(), limit]);
  const groups = rows
    .filter(({ beyond }) => !beyond)
    .map(({ kind, value, failures, reasons, last }) => ({
      kind,
      value,
      failures,
      reasons,
      last: new Date(last),
    }));
  return { groups, more: groups.length < rows.length };
}
