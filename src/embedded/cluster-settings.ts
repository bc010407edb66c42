import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { type DataDir, giveToOwner } from '#src/embedded/data-dir.ts';
import { errorCode } from '#src/kernel/error-code.ts';
import { AppError } from '#src/kernel/errors.ts';

/** What postgres.json keeps: all a process needs to join, besides the running postmaster's port. */
export interface ClusterSettings {
  superuserPassword: string;
  password: string;
  /** The port of the last start; clients of a cluster that is started again find it where it was. */
  port?: number | undefined;
}

/** Reads the settings, or makes them for a folder that has no cluster yet. */
export async function loadSettings(dataDir: DataDir): Promise<ClusterSettings> {
  const text = await readIfPresent(dataDir);
  if (text !== undefined) return parseSettings(text, dataDir);
  if (existsSync(dataDir.pgData)) {
    throw new AppError(
      'configuration_invalid',
      `${dataDir.pgData} exists, but its passwords (${dataDir.settingsFile}) are missing`,
      {
        hint: 'Restore postgres.json from a backup, or move the postgres folder away to begin with an empty database.',
      },
    );
  }
  const settings = { superuserPassword: newPassword(), password: newPassword() };
  await saveSettings(dataDir, settings);
  return settings;
}

/** Atomic, also across a power loss: there is always the old file or the new one. */
export async function saveSettings(dataDir: DataDir, settings: ClusterSettings): Promise<void> {
  const draft = `${dataDir.settingsFile}.new`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(settings, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await giveToOwner(draft, dataDir.owner);
  await rename(draft, dataDir.settingsFile);
  await syncFolder(dataDir.path);
}

/** Makes a rename inside the folder last. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function newPassword(): string {
  return randomBytes(24).toString('base64url');
}

async function readIfPresent({ settingsFile }: DataDir): Promise<string | undefined> {
  try {
    return await readFile(settingsFile, 'utf8');
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined;
    throw new AppError('configuration_invalid', `${settingsFile} cannot be read: ${errorCode(cause)}`, {
      hint: 'Run as the user who started the embedded database first, or set DATA_DIR to a folder of your own.',
      cause,
    });
  }
}

function parseSettings(text: string, { settingsFile }: DataDir): ClusterSettings {
  try {
    const { superuserPassword, password, port }: Record<string, unknown> = JSON.parse(text);
    if (typeof superuserPassword === 'string' && typeof password === 'string') {
      return { superuserPassword, password, port: typeof port === 'number' ? port : undefined };
    }
  } catch {
    // Answered below, like a file that is JSON but not ours.
  }
  throw new AppError('configuration_invalid', `${settingsFile} is damaged`, {
    hint: 'Restore postgres.json from a backup, or move it and the postgres folder away to begin with an empty database.',
  });
}
