import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { connect } from '#src/embedded/connect.ts';
import { isRunning } from '#src/embedded/processes.ts';

/** A connection that says "I use this cluster" for as long as its process lives: the kernel closes it, even on kill -9. */
export interface Presence {
  client: Client;
  socket: Socket;
  port: number;
}

const NAME = 'finance presence';

export async function openPresence(port: number, superuserPassword: string): Promise<Presence> {
  const socket = new Socket();
  const account = { user: 'postgres', password: superuserPassword, database: 'postgres' };
  const client = await connect({ port, ...account, application_name: `${NAME} ${process.pid}` }, socket);
  return { client, socket, port };
}

/** Whether anyone else is present. The process named by a presence is asked first, so that only the dead are waited for. */
export async function areOthersPresent(client: Client): Promise<boolean> {
  const deadline = performance.now() + 1_000;
  for (;;) {
    const pids = await listOthers(client);
    if (pids.length === 0) return false;
    // A connection that outlasts its process by this much has a process after all: in another PID namespace.
    if (pids.some(isRunning) || performance.now() > deadline) return true;
    await sleep(10);
  }
}

async function listOthers(client: Client): Promise<number[]> {
  const { rows } = await client.query<{ application_name: string }>(
    `SELECT application_name FROM pg_stat_activity WHERE application_name LIKE '${NAME} %' AND pid <> pg_backend_pid()`,
  );
  return rows.map((row) => Number(row.application_name.slice(NAME.length + 1)));
}
