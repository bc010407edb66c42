import { databaseOf } from '#src/doctor/ask.ts';
import { type Finding, fail, ok, type Subject, warn } from '#src/doctor/check.ts';

interface Room {
  most: number;
  used: number;
}

const ROOM = `select current_setting('max_connections')::integer
    - current_setting('superuser_reserved_connections')::integer as most,
  (select count(*)::integer from pg_stat_activity where backend_type = 'client backend') as used`;

/** Whether the processes of this host can all have as many connections as their settings say. */
export async function connections(subject: Subject): Promise<Finding> {
  const { database, http } = subject.config();
  const { sql } = await databaseOf(subject);
  const [room] = await sql<Room>(ROOM);
  if (!room) throw new Error('the database did not say how many connections it has');
  return judgeRoom(room, { poolSize: database.poolSize, processes: http.workers });
}

export function judgeRoom(
  { most, used }: Room,
  { poolSize, processes }: { poolSize: number; processes: number },
): Finding {
  const wanted = poolSize * processes;
  const text = `up to ${wanted} for a server (DATABASE_POOL_SIZE ${poolSize} x ${processes} ${processes === 1 ? 'process' : 'processes'}) of ${most}; ${used} in use now`;
  const hint =
    'Lower DATABASE_POOL_SIZE or WEB_CONCURRENCY, raise max_connections, or put PgBouncer in between.';
  if (wanted > most) return fail(text, hint);
  return wanted > most * 0.8 || used > most * 0.9 ? warn(text, hint) : ok(text);
}
