import type { ClientBase } from 'pg';

/**
 * Begins a transaction in which every value can be written as text and read back the same, whatever the role or the
 * database have set, and which may take its time.
 */
export async function beginLossless(client: ClientBase, mode = ''): Promise<void> {
  await client.query(`begin ${mode}`);
  await client.query(`
    set local client_encoding = 'UTF8'; set local datestyle = 'ISO'; set local intervalstyle = 'postgres';
    set local timezone = 'UTC'; set local extra_float_digits = 1; set local bytea_output = 'hex';
    set local row_security = off; set local statement_timeout = 0;
    set local idle_in_transaction_session_timeout = 0; set local plan_cache_mode = auto`);
}
