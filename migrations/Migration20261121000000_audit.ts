import { Migration } from '@mikro-orm/migrations';

/**
 * The audit log: what happened, who did it, to whom. Rows are only ever added. It refers to nothing by foreign key,
 * because people may go and what they did stays on record.
 */
export class Migration20261121000000_audit extends Migration {
  override up(): void {
    this.addSql(`
create table audit_events (
  id uuid primary key,
  created_at timestamptz not null,
  event_type text not null check (event_type ~ '^[a-z]+(_[a-z]+)*$'),
  user_id uuid,
  actor_id uuid,
  actor_kind text not null check (actor_kind in ('web', 'cli', 'system')),
  provider text,
  ip_address text,
  user_agent text check (char_length(user_agent) <= 500),
  metadata jsonb not null check (jsonb_typeof(metadata) = 'object'),
  request_id text
);
create index audit_events_newest on audit_events (created_at desc, id desc);
create index audit_events_by_type on audit_events (event_type, created_at desc, id desc);
create index audit_events_by_user on audit_events (user_id, created_at desc, id desc);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit events are never changed or removed' using errcode = 'restrict_violation';
end $$;

create trigger append_only before update or delete or truncate on audit_events
  for each statement execute function refuse_audit_change();
`);
  }

  override down(): void {
    this.addSql('drop table audit_events; drop function refuse_audit_change;');
  }
}
