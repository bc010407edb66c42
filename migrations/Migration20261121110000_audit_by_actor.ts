import { Migration } from '@mikro-orm/migrations';

/** Lets the audit log be read by who did something, as it is by whom it is about. */
export class Migration20261121110000_audit_by_actor extends Migration {
  override up(): void {
    this.addSql(`
create index audit_events_by_actor on audit_events (actor_id, created_at desc, id desc) where actor_id is not null;
`);
  }

  override down(): void {
    this.addSql('drop index audit_events_by_actor;');
  }
}
