import { Socket } from 'node:net';
import { Client } from 'pg';

export interface ConnectOptions {
  port: number;
  user: string;
  password: string;
  database: string;
  application_name: string;
}

export async function connect(options: ConnectOptions, socket = new Socket()): Promise<Client> {
  // ssl is set so that a PGSSLMODE of the operator does not reach this connection.
  const client = new Client({
    ...options,
    host: '127.0.0.1',
    ssl: false,
    stream: () => socket,
    connectionTimeoutMillis: 5_000,
  });
  // A break is told by 'end'; an 'error' nobody listens to would end the process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
