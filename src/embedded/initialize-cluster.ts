import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Binaries } from '#src/embedded/binaries.ts';
import { CHILD_ENV } from '#src/embedded/child-env.ts';
import { type ClusterSettings, syncFolder } from '#src/embedded/cluster-settings.ts';
import type { DataDir } from '#src/embedded/data-dir.ts';
import type { Launcher } from '#src/embedded/launcher.ts';
import { AppError } from '#src/kernel/errors.ts';

const DRAFT = 'postgres.new';

/** Makes the cluster unless it is there. It gets its name only when complete, so a killed attempt leaves a draft, no ruin. */
export async function initializeCluster(
  dataDir: DataDir,
  settings: ClusterSettings,
  { binaries, launcher }: { binaries: Binaries; launcher: Launcher },
): Promise<void> {
  if (await clusterExists(dataDir, binaries.major)) return;
  await removeDrafts(dataDir);
  // Unique, because the initdb of a killed process may be writing still.
  const draft = join(dataDir.path, `${DRAFT}.${randomBytes(4).toString('hex')}`);
  const passwordFile = `${draft}.password`;
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, settings.superuserPassword, { mode: 0o600 });
  if (launcher.owner) {
    await chown(draft, launcher.owner.uid, launcher.owner.gid);
    await chown(passwordFile, launcher.owner.uid, launcher.owner.gid);
  }
  try {
    await runInitdb(binaries.initdb, launcher, draft, passwordFile);
    await rename(draft, dataDir.pgData);
    await syncFolder(dataDir.path);
  } finally {
    await removeDrafts(dataDir);
  }
}

async function clusterExists({ pgData }: DataDir, major: string): Promise<boolean> {
  const version = await readFile(join(pgData, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version?.trim() === major) return true;
  if (version !== undefined) {
    throw new AppError(
      'configuration_invalid',
      `${pgData} was made by PostgreSQL ${version.trim()}; this is PostgreSQL ${major}`,
      {
        hint: `Dump it with the old version and load it into a new folder, or set DATA_DIR to another folder.`,
      },
    );
  }
  const content = await readdir(pgData).catch(() => []);
  if (content.length === 0) return false;
  throw new AppError('configuration_invalid', `${pgData} is not a PostgreSQL data folder`, {
    hint: 'Move it away, or set DATA_DIR to another folder.',
  });
}

async function removeDrafts({ path }: DataDir): Promise<void> {
  const drafts = (await readdir(path)).filter((name) => name.startsWith(DRAFT));
  await Promise.all(
    drafts.map((name) => rm(join(path, name), { recursive: true, force: true, maxRetries: 5 })),
  );
}

async function runInitdb(
  initdb: string,
  launcher: Launcher,
  folder: string,
  passwordFile: string,
): Promise<void> {
  const { file, args, identity } = launcher.command(initdb, [
    `--pgdata=${folder}`,
    '--username=postgres',
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ]);
  const child = spawn(file, args, {
    ...identity,
    cwd: '/',
    env: CHILD_ENV,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  child.once('error', (error) => resolve(error.message));
  child.once('close', (code) => resolve(code === 0 ? undefined : said.join('').trim() || `exit ${code}`));
  const problem = await promise;
  if (problem === undefined) return;
  throw new AppError('configuration_invalid', `The embedded database could not be created: ${problem}`, {
    hint: isAccountKnown()
      ? launcher.hint
      : 'Give this user id an entry in /etc/passwd (initdb needs one), or set DATABASE_URL.',
  });
}

function isAccountKnown(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}
