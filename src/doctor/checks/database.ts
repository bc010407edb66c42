import { databaseOf } from '#src/doctor/ask.ts';
import { type Finding, fail, ok, type Subject, skipped, warn } from '#src/doctor/check.ts';
import { readClusterState } from '#src/embedded/cluster-state.ts';

interface Server {
  database: string;
  version: string;
  number: string;
  encoding: string;
  zone: string;
  style: string;
}

const SERVER = `select current_database() as database, current_setting('server_version') as version,
  current_setting('server_version_num') as number, current_setting('server_encoding') as encoding,
  current_setting('TimeZone') as zone, current_setting('DateStyle') as style`;

const OLDEST = 150_000;
const SLOW_MS = 50;

/** Whether it answers, how fast, and whether it is one we can work with. */
export async function database(subject: Subject): Promise<Finding> {
  const { dataDir, database } = subject.config();
  if (database.url === undefined && (await readClusterState(dataDir)).version === undefined)
    return skipped('the embedded database is not made yet');
  const { sql } = await databaseOf(subject);
  const [server] = await sql<Server>(SERVER);
  if (!server) throw new Error('the database did not say what it is');
  const started = performance.now();
  await sql('select 1');
  return judgeServer(server, { milliseconds: performance.now() - started, place: placeOf(database.url) });
}

interface Way {
  milliseconds: number;
  place: string;
}

export function judgeServer(server: Server, { milliseconds, place }: Way): Finding {
  const { version, number, encoding, zone, style } = server;
  const text = `PostgreSQL ${version}, ${server.database} ${place}, answers in ${milliseconds.toFixed(1)} ms`;
  if (Number(number) < OLDEST) return fail(`${text}: too old`, 'Use PostgreSQL 15 or later.');
  if (encoding !== 'UTF8') {
    return fail(
      `${text}, encoding ${encoding}: not every name can be stored`,
      "Make a database with encoding 'UTF8' and move the data there.",
    );
  }
  if (zone !== 'UTC' || !style.startsWith('ISO')) {
    return fail(
      `${text}, sessions begin with time zone ${zone} and style ${style}: a pooler in between loses settings`,
      'PgBouncer needs 1.21 or later; ARCHITECTURE.md says which settings it must carry along.',
    );
  }
  if (milliseconds <= SLOW_MS) return ok(text);
  return warn(text, 'Every request waits for it several times: run server and database close together.');
}

/** Where the URL leads, without user and password. */
function placeOf(url: string | undefined): string {
  if (url === undefined) return '(embedded)';
  const { hostname, port, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? hostname;
  return host.startsWith('/') ? `at ${host}` : `at ${host || 'localhost'}:${port || 5432}`;
}
