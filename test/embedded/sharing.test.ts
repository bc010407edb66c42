import { chmod, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openDataDir } from '#src/embedded/data-dir.ts';
import { leaveCluster } from '#src/embedded/leave-cluster.ts';
import { openPresence } from '#src/embedded/presence.ts';
import {
  ask,
  joinElsewhere,
  joinHere,
  leaveNothingBehind,
  newDataDir,
  postmasterPid,
  spawnMember,
} from '#test/embedded/support.ts';

leaveNothingBehind();

describe('several processes on one embedded database', () => {
  it('runs from the first who joins to the last who leaves', async () => {
    const dataDir = newDataDir();

    const first = await joinHere({ dataDir });
    const second = await joinElsewhere(dataDir);
    expect(second.connectionString).toBe(first.connectionString);

    await first.release();
    expect(await ask(second.connectionString, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);

    expect(await second.leave()).toBe(0);
    expect(await postmasterPid(dataDir)).toBeUndefined();
  });

  it('outlives the process that started it', async () => {
    const dataDir = newDataDir();

    const starter = await joinElsewhere(dataDir);
    const other = await joinHere({ dataDir });
    expect(await starter.leave()).toBe(0);

    expect(await ask(other.connectionString, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await other.release();
    expect(await postmasterPid(dataDir)).toBeUndefined();
  });

  it('lets eight join an empty folder at once', async () => {
    const dataDir = newDataDir();

    const members = await Promise.all(Array.from({ length: 8 }, () => joinElsewhere(dataDir)));
    const answers = await Promise.all(
      members.map((member) => ask(member.connectionString, 'SELECT 1 AS one')),
    );
    expect(answers).toEqual(Array.from({ length: 8 }, () => [{ one: 1 }]));

    const exits = await Promise.all(members.map((member) => member.leave()));
    expect(exits).toEqual(Array.from({ length: 8 }, () => 0));
    expect(await postmasterPid(dataDir)).toBeUndefined();
  });

  it('stops when two leave at the same moment, however long it takes one to be gone', async () => {
    const dataDir = newDataDir();
    const other = await joinHere({ dataDir });
    const { port, password } = new URL(other.superuserConnectionString);
    const presence = await openPresence(Number(port), password);
    const end = presence.client.end.bind(presence.client);
    Object.assign(presence.client, {
      end: async () => {
        // The other one leaves now; it is done first unless the lock makes it wait.
        await Promise.race([other.release(), setTimeout(200)]);
        await end();
      },
    });

    await leaveCluster(await openDataDir(dataDir), presence);
    await other.release();

    expect(await postmasterPid(dataDir)).toBeUndefined();
  });

  it('does not keep a process alive that forgets to leave', async () => {
    const dataDir = newDataDir();
    const member = spawnMember(dataDir, 'forget');

    expect(await new Promise((resolve) => member.once('exit', resolve))).toBe(0);

    const next = await joinHere({ dataDir });
    await next.release();
    expect(await postmasterPid(dataDir)).toBeUndefined();
  });

  it('keeps its data and its port from one start to the next', async () => {
    const dataDir = newDataDir();
    const before = await joinHere({ dataDir });
    await ask(before.connectionString, 'CREATE TABLE kept AS SELECT 42 AS value');
    await before.release();

    const after = await joinHere({ dataDir });

    expect(after.connectionString).toBe(before.connectionString);
    expect(await ask(after.connectionString, 'SELECT value FROM kept')).toEqual([{ value: 42 }]);
  });
});

describe('what the embedded database shows of itself', () => {
  it('keeps its files from other users', async () => {
    const dataDir = newDataDir();
    await joinHere({ dataDir });

    const mode = async (name: string) => (await stat(join(dataDir, name))).mode & 0o777;

    // Where root starts it, the account that runs PostgreSQL passes through the folder, and can list nothing.
    expect(await mode('.')).toBe(process.getuid?.() === 0 ? 0o711 : 0o700);
    expect(await mode('postgres')).toBe(0o700);
    for (const file of ['postgres.json', 'postgres.lock', 'postgres.log'])
      expect(await mode(file)).toBe(0o600);
  });

  it('listens on the loopback only and wants a password', async () => {
    const dataDir = newDataDir();
    const { superuserConnectionString } = await joinHere({ dataDir });
    const wrong = new URL(superuserConnectionString);
    wrong.password = 'wrong';

    const [settings] = await ask(
      superuserConnectionString,
      `SELECT current_setting('listen_addresses') AS addresses, current_setting('unix_socket_directories') AS sockets,
              (SELECT count(*)::int FROM pg_hba_file_rules WHERE auth_method <> 'scram-sha-256') AS open_doors`,
    );

    expect(settings).toEqual({ addresses: '127.0.0.1', sockets: '', open_doors: 0 });
    await expect(ask(wrong.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  });

  it('gives the application a database of its own and no power over others', async () => {
    const { connectionString } = await joinHere({ dataDir: newDataDir() });

    const [role] = await ask(
      connectionString,
      `SELECT rolname AS name, rolsuper AS super, rolcreatedb AS createdb, current_database() AS database,
              pg_encoding_to_char(encoding) AS encoding, datlocale AS locale
         FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`,
    );

    expect(role).toEqual({
      name: 'finance',
      super: false,
      createdb: false,
      database: 'finance',
      encoding: 'UTF8',
      locale: 'C.UTF-8',
    });
  });

  it('works where everybody may pass through the folder', async () => {
    const dataDir = newDataDir();
    await chmod(dirname(dataDir), 0o755);

    const { connectionString } = await joinHere({ dataDir });

    expect(await ask(connectionString, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});
