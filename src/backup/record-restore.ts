import type { ClientBase } from 'pg';
import { auditEntry } from '#src/audit/record-audit-event.ts';
import type { Manifest } from '#src/backup/manifest.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Actor } from '#src/kernel/work.ts';

export interface Restore {
  id: string;
  now: Date;
  actor: Actor;
  actingAs: string | undefined;
  backup: Manifest;
  rows: number;
  replaced: boolean;
}

/** The first entry after those that came back, in their transaction. */
export async function recordRestore(
  client: ClientBase,
  { id, now, actor, actingAs, backup, rows, replaced }: Restore,
): Promise<void> {
  const userId = actingAs === undefined ? undefined : await findActor(client, actingAs);
  const entry = auditEntry({ ...actor, userId }, now, {
    eventType: 'backup_restored',
    metadata: {
      backup_created_at: backup.createdAt,
      product_version: backup.productVersion,
      rows,
      replaced,
    },
  });
  await client.query(
    `insert into audit_events (id, created_at, event_type, actor_id, actor_kind, metadata)
     values ($1, $2, $3, $4, $5, $6)`,
    [id, entry.createdAt, entry.eventType, entry.actorId, entry.actorKind, entry.metadata],
  );
}

/** Among the people of the backup: nobody else is there any more. */
async function findActor(client: ClientBase, reference: string): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `select id from users
     where (id::text = lower($1) or email = lower($1)) and role = 'super_admin' and suspended_at is null`,
    [reference.trim()],
  );
  if (rows[0]) return rows[0].id;
  throw new AppError(
    'forbidden',
    `Nobody can act as "${reference}": it is no active super_admin of the backup`,
    {
      hint: '--actor and FINANCECTL_ACTOR name an active super admin, by email or id.',
    },
  );
}
