import { Migration } from '@mikro-orm/migrations';

/** The life of the audit log: who works on it, how long it is kept, what has been archived, and what may leave. */
export class Migration20261122180000_audit_archive extends Migration {
  override up(): void {
    this.addSql(KEEPING);
    this.addSql(ARCHIVES);
    this.addSql(REMOVAL);
    this.addSql(ARCHIVED_DAYS);
  }

  override down(): void {
    this.addSql(`
      drop trigger archived_days_are_closed on audit_events;
      drop function refuse_into_archived_day;
      drop trigger removed_by_retention_only on audit_events;
      drop function check_audit_removal;
      drop trigger append_only on audit_events;
      create trigger append_only before update or delete or truncate on audit_events
        for each statement execute function refuse_audit_change();
      drop table audit_archives;
      drop function refuse_archive_change;
      drop table audit_log_identity;
      drop table audit_retention;
      drop table job_leases;
    `);
  }
}

/** Who works on the log, and how long it is kept. */
const KEEPING = `
create table job_leases (
  name text primary key,
  owner uuid,
  expires_at timestamptz,
  check ((owner is null) = (expires_at is null))
);
comment on table job_leases is 'one process at a time does a job; it renews its lease while it works';
insert into job_leases (name) values ('audit_retention');

create table audit_retention (
  singleton boolean primary key default true check (singleton),
  tier text not null check (tier in ('standard', 'extended', 'compliance')),
  last_success_at timestamptz,
  unreported_removals bigint not null default 0 check (unreported_removals >= 0),
  reported_position integer not null default 0 check (reported_position >= 0)
);
comment on table audit_retention is 'what the last run of the archive kept to; a shorter one must be insisted on';
comment on column audit_retention.unreported_removals is 'events removed since the last audit_archived entry: a run that is killed cannot write its own';
comment on column audit_retention.reported_position is 'the last archive that an audit_archived entry has told of';

create table audit_log_identity (
  singleton boolean primary key default true check (singleton),
  id uuid not null default gen_random_uuid()
);
comment on table audit_log_identity is 'which log an archive is of: two databases may be given one target by mistake';
insert into audit_log_identity default values;
`;

/** A row for each archive; only that it has been removed may be added. */
const ARCHIVES = `
create table audit_archives (
  day date primary key,
  position integer not null unique check (position > 0),
  tier text not null check (tier in ('extended', 'compliance')),
  rows bigint not null check (rows > 0),
  first_id uuid not null,
  last_id uuid not null,
  file text not null,
  bytes bigint not null check (bytes > 0),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  manifest text not null,
  manifest_sha256 text not null check (manifest_sha256 ~ '^[0-9a-f]{64}$'),
  previous_sha256 text check (previous_sha256 ~ '^[0-9a-f]{64}$'),
  archived_at timestamptz not null,
  pruned_at timestamptz,
  check ((position = 1) = (previous_sha256 is null)),
  check ((pruned_at at time zone 'UTC') >= (day + 1)::timestamp
    + case tier when 'extended' then interval '1 year' else interval '7 years' end)
);
comment on table audit_archives is 'a row for each UTC day that has been archived, read back and verified; kept when the archive is pruned';
comment on column audit_archives.position is 'place in the chain: previous_sha256 is the manifest of the place before';
comment on column audit_archives.tier is 'the tier in force when it was made: it is kept that long, whatever is set later';

create function refuse_archive_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.pruned_at is null and to_jsonb(new) - 'pruned_at' = to_jsonb(old) - 'pruned_at' then
    return new;
  end if;
  raise exception 'records of archives are never changed or removed' using errcode = 'restrict_violation';
end $$;
create trigger kept_on_record before update or delete on audit_archives
  for each row execute function refuse_archive_change();
create trigger never_emptied before truncate on audit_archives
  for each statement execute function refuse_archive_change();
`;

/** What may leave the database. */
const REMOVAL = `
drop trigger append_only on audit_events;
create trigger append_only before update or truncate on audit_events
  for each statement execute function refuse_audit_change();

create function check_audit_removal() returns trigger language plpgsql set timezone = 'UTC' as $$
declare
  kept text := (select r.tier from audit_retention r);
  oldest timestamptz;
  youngest timestamptz;
  removed bigint;
begin
  select min(created_at), max(created_at), count(*) into oldest, youngest, removed from gone;
  if youngest is null then
    return null;
  end if;
  if coalesce(current_setting('finance.audit_retention', true), '') <> 'on' or kept is null then
    raise exception 'audit events are never changed or removed' using errcode = 'restrict_violation';
  end if;
  if youngest > now() - (case kept when 'standard' then interval '90 days' else interval '1 year' end) then
    raise exception 'audit events are not removed before their time' using errcode = 'restrict_violation';
  end if;
  -- One day is the rule, and quick; the days of each event are looked at where there are several.
  if kept <> 'standard' and not (
    oldest::date = youngest::date and exists (select from audit_archives a where a.day = oldest::date)
  ) and exists (
    select from (select distinct created_at::date as day from gone) days
    where not exists (select from audit_archives a where a.day = days.day)
  ) then
    raise exception 'audit events are not removed before they are archived' using errcode = 'restrict_violation';
  end if;
  update audit_retention set unreported_removals = unreported_removals + removed;
  return null;
end $$;
create trigger removed_by_retention_only after delete on audit_events referencing old table as gone
  for each statement execute function check_audit_removal();
`;

/** What may still be dated into the past. */
const ARCHIVED_DAYS = `
create function refuse_into_archived_day() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('finance.audit_restore', true), '') = 'on' then
    return new;
  end if;
  -- Whoever records an archive holds this row: the event is either counted, or refused.
  perform from job_leases where name = 'audit_retention' for share;
  if exists (select from audit_archives where day = (new.created_at at time zone 'UTC')::date) then
    raise exception 'the audit log of this day is archived already' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger archived_days_are_closed before insert on audit_events
  for each row when (new.created_at < now() - interval '89 days') execute function refuse_into_archived_day();
`;
