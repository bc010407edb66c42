import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import type { Cipher } from '#src/kernel/cipher.ts';
import type { Config } from '#src/kernel/config.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Tally, TallyName } from '#src/kernel/tally.ts';

/** Everything that lives as long as the process. */
export interface Runtime {
  readonly config: Config;
  readonly log: Log;
  /** The process's only pool; MikroORM works on it too. */
  readonly pool: Pool;
  now(): Date;
  /** What every other secret is derived from. Throws `configuration_invalid` when nobody has set it. */
  secretKeyBase(): string;
  /** Encrypts what is stored of secrets. */
  readonly cipher: Cipher;
  readonly tally: Tally;
  /** A fresh unit of work's entity manager; loads MikroORM at the first call. */
  entityManager(): Promise<SqlEntityManager>;
  close(): Promise<void>;
}

/** Who acts, for the record. */
export interface Actor {
  kind: 'web' | 'cli' | 'system';
  userId?: string | undefined;
  /** Of a terminal. */
  osUser?: string | undefined;
  /** Of a browser. */
  ipAddress?: string | undefined;
  userAgent?: string | undefined;
  requestId?: string | undefined;
}

/** One unit of work: one database transaction, and everything else an operation needs from outside. */
export interface Work {
  readonly em: SqlEntityManager;
  readonly actor: Actor;
  readonly cipher: Cipher;
  now(): Date;
  /** Adds to the tally of this process, once this unit of work is saved. */
  count(name: TallyName, labels: Readonly<Record<string, string>>): void;
  /** Runs SQL with `$1`-style parameters inside this unit of work. Dates and timestamps come back as text. */
  sql<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}
