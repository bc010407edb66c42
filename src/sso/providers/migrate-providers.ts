import type { Work } from '#src/kernel/work.ts';
import { createProvider } from '#src/sso/providers/create-provider.ts';
import { deleteProvider } from '#src/sso/providers/delete-provider.ts';
import {
  type MigrationRequest,
  type MigrationStep,
  planMigration,
} from '#src/sso/providers/plan-migration.ts';
import type { WayInPolicy } from '#src/sso/providers/require-way-in.ts';
import { updateProvider } from '#src/sso/providers/update-provider.ts';

export interface Migration extends MigrationRequest {
  policy: WayInPolicy;
  /** As for an update or a deletion by itself. */
  force?: boolean | undefined;
}

/**
 * Makes the database have what the file has, and answers with what that took. Writes nothing while one of the steps is
 * an error. What the file does not mention of a provider stays as it is, its stored secrets too.
 */
export async function migrateProviders(
  work: Work,
  { policy, force, ...request }: Migration,
): Promise<MigrationStep[]> {
  const steps = await planMigration(work, request);
  if (steps.some(({ action }) => action === 'error')) return steps;
  for (const step of steps) await apply(work, step, { policy, force });
  return steps;
}

async function apply(
  work: Work,
  { action, name, before, changes }: MigrationStep,
  limits: Pick<Migration, 'policy' | 'force'>,
): Promise<void> {
  if (action === 'create') await createProvider(work, changes);
  if (action === 'update' && before) {
    await updateProvider(work, { provider: before.id, changes, ...limits });
  }
  if (action === 'delete') await deleteProvider(work, { provider: name, ...limits });
}
