import type { ClientBase } from 'pg';
import {
  discardSecretKeyBase,
  installSecretKeyBase,
  lookUpSecretKeyBase,
  prepareSecretKeyBase,
} from '#src/embedded/next-secret-key-base.ts';
import type { Config } from '#src/kernel/config.ts';
import { AppError } from '#src/kernel/errors.ts';

export interface SecretPlan {
  /** `not_kept`: the operator keeps it, or the backup holds none. */
  action: 'written' | 'replaced' | 'unchanged' | 'not_kept';
  /** Commits, and the backup's secret takes its place; answers with the file of the one that was there. */
  commitWith(client: ClientBase, eventId: string, now: Date): Promise<string | undefined>;
}

/** What becomes of the secret kept beside the embedded database. Throws `conflict` when another one is in the way. */
export function planSecret(
  config: Config,
  secret: string | undefined,
  { replaceSecret }: { replaceSecret: boolean },
): SecretPlan {
  const { dataDir } = config;
  const isKept = config.database.url === undefined && config.secretKeyBase === undefined;
  if (!isKept || secret === undefined) return { action: 'not_kept', commitWith: commit };
  const present = lookUpSecretKeyBase(dataDir);
  if (present === secret) return { action: 'unchanged', commitWith: commit };
  if (present !== undefined && !replaceSecret) throw refuseOther(dataDir);
  return {
    action: present === undefined ? 'written' : 'replaced',
    commitWith: async (client, eventId, now) => {
      await prepareSecretKeyBase(dataDir, eventId, secret);
      try {
        await commit(client);
      } catch (error) {
        // The server may have committed before the connection broke; then the next start finds out.
        if (client.getTransactionStatus() === 'I') discardSecretKeyBase(dataDir, eventId);
        throw error;
      }
      return installSecretKeyBase(dataDir, eventId, now);
    },
  };
}

async function commit(client: ClientBase): Promise<undefined> {
  await client.query('commit');
}

function refuseOther(dataDir: string): AppError {
  return new AppError('conflict', `${dataDir} keeps another secret_key_base than the backup`, {
    hint: 'Restore into a new DATA_DIR, or with --replace: the one that is there is then kept under a dated name.',
  });
}
