import { Migration } from '@mikro-orm/migrations';

/** A bearer token may have been asked for with less than the scope of its key. */
export class Migration20261121120000_access_token_scope extends Migration {
  override up(): void {
    this.addSql(
      `alter table access_tokens add column scope text not null check (scope in ('read', 'read_write'));`,
    );
  }

  override down(): void {
    this.addSql('alter table access_tokens drop column scope;');
  }
}
