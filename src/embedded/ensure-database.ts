import type { Client } from 'pg';

/** Role and database of the application. Looked for at every entry: a kill may have come between making the two. */
export async function ensureDatabase(superuser: Client, password: string): Promise<void> {
  const { rows } = await superuser.query<{ role: boolean; database: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = 'finance') AS role,
            EXISTS (SELECT FROM pg_database WHERE datname = 'finance') AS database`,
  );
  // The password is base64url, so it needs no quoting.
  if (!rows[0]?.role) await superuser.query(`CREATE ROLE finance LOGIN PASSWORD '${password}'`);
  if (!rows[0]?.database) await superuser.query('CREATE DATABASE finance OWNER finance');
}
