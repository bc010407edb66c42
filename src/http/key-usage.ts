import type { Runtime } from '#src/kernel/work.ts';

/** How exact `last_used_at` is, and so how often one key costs a write. */
const PRECISION_MS = 60_000;
/** Uses gathered into one statement. */
const DELAY_MS = 1_000;

export interface KeyUsage {
  /** Called on every accepted request; writes nothing itself. */
  touch: (keyId: string) => void;
  /** Writes what is still unwritten. Never throws. */
  flush: () => Promise<void>;
}

/** Keeps `api_keys.last_used_at`, in the background and at most once per key and minute. */
export function createKeyUsage(runtime: Runtime): KeyUsage {
  const { pool, log } = runtime;
  const noted = new Map<string, number>();
  let unwritten = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const write = async () => {
    clearTimeout(timer);
    timer = undefined;
    if (unwritten.size === 0) return;
    const ids = [...unwritten];
    unwritten = new Set();
    try {
      // Other processes note the same keys; in order, so that two of them never wait for each other.
      await pool.query(
        `update api_keys set last_used_at = now() where id in (
          select id from api_keys where id = any($1::uuid[])
            and (last_used_at is null or last_used_at < now() - interval '1 minute')
          order by id for update
        )`,
        [ids],
      );
    } catch (error) {
      log.warn({ reason: String(error) }, 'key_usage_not_saved');
    }
  };
  const flush = () => (writing = writing.then(write));

  return {
    touch: (keyId) => {
      const at = runtime.now().getTime();
      const last = noted.get(keyId);
      if (last !== undefined && at - last < PRECISION_MS) return;
      noted.set(keyId, at);
      unwritten.add(keyId);
      timer ??= setTimeout(() => void flush(), DELAY_MS).unref();
    },
    flush,
  };
}
