// A process that joins, says so on one line, and leaves when its standard input ends: what server and CLI do.
import { once } from 'node:events';
import { joinEmbeddedDatabase } from '#src/embedded/join-embedded-database.ts';

const database = await joinEmbeddedDatabase({ dataDir: process.argv[2] ?? '' });
process.stdout.write(`${database.connectionString}\n`);
if (process.argv[3] !== 'forget') {
  process.stdin.resume();
  await once(process.stdin, 'end');
  await database.release();
}
