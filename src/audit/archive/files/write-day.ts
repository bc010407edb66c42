import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { PoolClient } from 'pg';
import Cursor from 'pg-cursor';
import { ARCHIVED_COLUMNS } from '#src/audit/archive/files/archived-event.ts';
import { idOfLine } from '#src/audit/archive/files/id-of-line.ts';
import { type Spool, spoolFrom } from '#src/audit/archive/files/spool.ts';
import type { Runtime } from '#src/kernel/work.ts';

/** The events of one day, in order of time and id: a line of JSON each, compressed. */
export interface DayFile extends Spool {
  rows: number;
  firstId: string;
  lastId: string;
}

/** The database writes the JSON; the same rows give the same bytes. */
const LINES = `select row_to_json(e)::text from (
  select ${ARCHIVED_COLUMNS} from audit_events
  where created_at >= ($1::date)::timestamp at time zone 'UTC'
    and created_at < ($1::date + 1)::timestamp at time zone 'UTC'
  order by created_at, id
) e`;

/** Times in the JSON are written in the session's zone, whatever a pooler has made of it. */
const BEGIN = `begin read only; set local timezone = 'UTC'`;

const BATCH = 250;

/** Undefined when the day has no events. Whoever asked closes the file. Memory does not grow with the day. */
export async function writeDay(
  { pool }: Pick<Runtime, 'pool'>,
  day: string,
  signal: AbortSignal,
): Promise<DayFile | undefined> {
  const found = { rows: 0, firstId: '', lastId: '' };
  const client = await pool.connect();
  try {
    const text = Readable.from(lines(client, day, found), { objectMode: true, highWaterMark: 1 });
    const file = await spoolFrom(
      pipeline(text, createGzip({ level: 6, chunkSize: 65_536 }), () => undefined),
      signal,
    );
    client.release();
    if (found.rows > 0) return { ...file, ...found };
    await file.close();
    return undefined;
  } catch (error) {
    // In the middle of a transaction and of an answer: the connection is of no use to others.
    client.release(true);
    throw error;
  }
}

async function* lines(
  client: PoolClient,
  day: string,
  found: Pick<DayFile, 'rows' | 'firstId' | 'lastId'>,
): AsyncGenerator<string> {
  await client.query(BEGIN);
  const cursor = client.query(new Cursor<[string]>(LINES, [day], { rowMode: 'array' }));
  let next = read(cursor);
  for (let rows = await next; rows.length > 0; rows = await next) {
    next = read(cursor);
    found.firstId ||= idOfLine(rows[0]?.[0] ?? '');
    found.lastId = idOfLine(rows.at(-1)?.[0] ?? '');
    found.rows += rows.length;
    yield `${rows.map(([line]) => line).join('\n')}\n`;
  }
  await cursor.close();
  await client.query('commit');
}

/** Asked for before it is needed, so an error may come while nobody waits for it. */
function read(cursor: Cursor<[string]>): Promise<[string][]> {
  const rows = cursor.read(BATCH);
  rows.catch(() => undefined);
  return rows;
}
