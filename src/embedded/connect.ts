import { createRequire } from 'node:module';

/** The part of pg's Client that this room uses (pg itself comes without types). */
export interface PgClient {
  connect(): Promise<void>;
  query(sql: string): Promise<{ rows: Record<string, unknown>[] }>;
  end(): Promise<void>;
  ref(): void;
  unref(): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'end', listener: () => void): unknown;
}

export interface ConnectOptions {
  port: number;
  user: string;
  password: string;
  database: string;
  application_name: string;
}

export async function connect(options: ConnectOptions): Promise<PgClient> {
  const pg = createRequire(import.meta.url)('pg') as { Client: new (options: object) => PgClient };
  // ssl is set so that a PGSSLMODE of the operator does not reach this connection.
  const client = new pg.Client({ ...options, host: '127.0.0.1', ssl: false, connectionTimeoutMillis: 5_000 });
  // A break is told by 'end'; an 'error' nobody listens to would end the process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
