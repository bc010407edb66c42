import { Migration } from '@mikro-orm/migrations';

/** SAML 2.0: what providers publish about themselves, how they name people, and sign-outs that wait for an answer. */
export class Migration20261122090000_saml extends Migration {
  override up(): void {
    this.addSql(`
      create table provider_metadata (
        provider text primary key,
        url text not null,
        facts jsonb not null check (jsonb_typeof(facts) = 'object'),
        fetched_at timestamptz not null,
        checked_at timestamptz not null,
        problem text
      );
      comment on table provider_metadata is 'the last good answer of each metadata URL, for all processes';
      comment on column provider_metadata.problem is 'why the last attempt to fetch it again failed';

      alter table identities add column name_id jsonb check (jsonb_typeof(name_id) = 'object');
      comment on column identities.name_id is 'format and qualifiers of the NameID, for single logout; its value is the subject';

      alter table pending_logins drop constraint pending_logins_purpose_check;
      alter table pending_logins add constraint pending_logins_purpose_check
        check (purpose in ('login', 'link', 'try', 'confirm', 'logout'));
    `);
  }

  override down(): void {
    this.addSql(`
      delete from pending_logins where purpose = 'logout';
      alter table pending_logins drop constraint pending_logins_purpose_check;
      alter table pending_logins add constraint pending_logins_purpose_check
        check (purpose in ('login', 'link', 'try', 'confirm'));
      alter table identities drop column name_id;
      drop table provider_metadata;
    `);
  }
}
