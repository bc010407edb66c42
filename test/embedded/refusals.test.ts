import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataDir } from '#src/embedded/data-dir.ts';
import { withFileLock } from '#src/embedded/file-lock.ts';
import { joinHere, leaveNothingBehind, newDataDir, postmasterPid } from '#test/embedded/support.ts';

leaveNothingBehind();

describe('what the embedded database refuses, and says why', () => {
  it('a port in use', async () => {
    const port = await occupyPort();
    const refusal = joinHere({ dataDir: newDataDir(), port });

    await expect(refusal).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: `Port ${port} on 127.0.0.1 cannot be used (EADDRINUSE)`,
      hint: expect.stringContaining('EMBEDDED_DATABASE_PORT'),
    });
  });

  it('nothing, when only the remembered port is in use', async () => {
    const dataDir = newDataDir();
    const before = await joinHere({ dataDir });
    await before.release();
    await occupyPort(Number(new URL(before.connectionString).port));

    const after = await joinHere({ dataDir });

    expect(after.connectionString).not.toBe(before.connectionString);
  });

  it('a data folder that is a file', async () => {
    const dataDir = newDataDir();
    await writeFile(dataDir, '');

    await expect(joinHere({ dataDir })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringMatching(/is a file$/),
      hint: expect.stringContaining('DATA_DIR'),
    });
    await expect(joinHere({ dataDir: join(dataDir, 'below') })).rejects.toMatchObject({
      message: expect.stringMatching(/is a file$/),
    });
  });

  it('a data folder that may not be written', async () => {
    // Root may write anywhere but where the kernel keeps its own files.
    const isRoot = process.getuid?.() === 0;
    const dataDir = isRoot ? '/sys/finance' : newDataDir();
    if (!isRoot) await chmod(dirname(dataDir), 0o500);

    await expect(joinHere({ dataDir })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringMatching(/may not read and write it \((EACCES|EPERM)\)/),
    });
  });

  it('a data folder where the kernel lets none be made', async () => {
    await expect(joinHere({ dataDir: '/proc/finance/data' })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining('/proc/finance/data'),
    });
  });

  it('a cluster of another version', async () => {
    const dataDir = newDataDir();
    await givenCluster(dataDir, { PG_VERSION: '15\n' });

    await expect(joinHere({ dataDir })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringMatching(/was made by PostgreSQL 15; this is PostgreSQL \d+$/),
    });
  });

  it('a folder named postgres that is no cluster', async () => {
    const dataDir = newDataDir();
    await givenCluster(dataDir, { 'letters.txt': 'Dear Ada' });

    await expect(joinHere({ dataDir })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining('is not a PostgreSQL data folder'),
    });
  });

  it('a cluster whose passwords are lost, damaged or another’s', async () => {
    const dataDir = newDataDir();
    const settings = join(dataDir, 'postgres.json');
    await givenCluster(dataDir, { PG_VERSION: '18\n' });

    await writeFile(settings, '{"superuserPass');
    await expect(joinHere({ dataDir })).rejects.toMatchObject({ message: `${settings} is damaged` });
    await rm(settings);
    await expect(joinHere({ dataDir })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining('passwords'),
      hint: expect.stringContaining('backup'),
    });

    await rm(join(dataDir, 'postgres'), { recursive: true });
    await joinHere({ dataDir });
    await rename(settings, `${settings}.true`);
    await writeFile(settings, '{"superuserPassword":"wrong","password":"wrong"}');
    await expect(joinHere({ dataDir })).rejects.toMatchObject({
      message: expect.stringContaining('is not that of'),
    });
    // So that afterEach can leave.
    await rename(`${settings}.true`, settings);
  });

  it('a server that does not start, with its last words', async () => {
    const dataDir = newDataDir();
    const database = await joinHere({ dataDir });
    await database.release();
    await rm(join(dataDir, 'postgres/global/pg_control'));

    await expect(joinHere({ dataDir })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining('could not open file'),
    });
    expect(await postmasterPid(dataDir)).toBeUndefined();
  });

  it('to wait for ever for a process that hangs', async () => {
    const dataDir = await openDataDir(newDataDir());

    await withFileLock(dataDir, async () => {
      await expect(withFileLock(dataDir, async () => 'entered', 30)).rejects.toMatchObject({
        code: 'service_unavailable',
        message: expect.stringContaining(dataDir.lockFile),
      });
    });
    expect(await withFileLock(dataDir, async () => 'entered', 30)).toBe('entered');
  });

  it('a damaged lock file', async () => {
    const dataDir = newDataDir();
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'postgres.lock'), 'x'.repeat(2048));

    await expect(joinHere({ dataDir })).rejects.toMatchObject({
      code: 'configuration_invalid',
      hint: expect.stringContaining('delete it'),
    });
  });
});

async function occupyPort(port = 0): Promise<number> {
  const server = createServer().unref();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

async function givenCluster(dataDir: string, files: Record<string, string>): Promise<void> {
  await mkdir(join(dataDir, 'postgres'), { recursive: true, mode: 0o700 });
  await writeFile(join(dataDir, 'postgres.json'), '{"superuserPassword":"a","password":"b"}');
  for (const [name, content] of Object.entries(files))
    await writeFile(join(dataDir, 'postgres', name), content);
}
