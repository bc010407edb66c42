import type { Environment } from '#config/env.ts';
import { SETTINGS, type Setting } from '#config/settings.ts';

const ALL = Object.entries<Setting<unknown>>(SETTINGS);
const PUBLIC = new Set(ALL.filter(([, { secret }]) => !secret).map(([name]) => name));
const SECRET = new Set(ALL.filter(([, { secret }]) => secret).map(([name]) => `${name}_FILE`));

/**
 * Whether any of these variables, set in a file, is a secret there. Names that are no settings are what the providers'
 * file refers to: client secrets, mostly.
 */
export function holdsSecrets(names: Iterable<string>): boolean {
  return [...names].some((name) => !PUBLIC.has(name) && !name.endsWith('_FILE'));
}

/** Paths of files that hold a secret: of a setting, or of a client in the providers' file. */
export function secretFiles(env: Environment): string[] {
  return Object.entries(env).flatMap(([name, path]) =>
    path?.trim() && namesSecret(name) ? [path.trim()] : [],
  );
}

function namesSecret(name: string): boolean {
  return SECRET.has(name) || name.endsWith('_SECRET_FILE');
}
